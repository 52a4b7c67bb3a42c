"""Solves choices over tables as integer programs with HiGHS: one problem a line of standard
input, its picks (one a table, -1 for leave) a line of standard output. Sizes are scaled so
that rows have magnitudes near one, as the solver's tolerances expect."""
import json
import os
import sys

import highspy


def solve(problem):
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("mip_rel_gap", 0.0)
    model.setOptionValue("mip_abs_gap", 0.0)
    model.setOptionValue("mip_feasibility_tolerance", 1e-9)
    model.setOptionValue("threads", 1)
    scale = max([abs(o["npv"]) for t in problem["tables"] for o in t] + [1])
    picked, objective = {}, []
    for i, options in enumerate(problem["tables"]):
        for k, option in enumerate([{"npv": 0}] + options):
            picked[i, k - 1] = model.addBinary()
            objective.append((option["npv"] / scale, picked[i, k - 1]))
        model.addConstr(sum(picked[i, k] for k in range(-1, len(options))) == 1)
    for term in problem["terms"]:
        a, b = picked[term["a"], term["pick_a"]], picked[term["b"], term["pick_b"]]
        both = model.addBinary()
        model.addConstr(both <= a)
        model.addConstr(both <= b)
        model.addConstr(both >= a + b - 1)
        objective.append((term["npv"] / scale, both))
    for cost in ("rewrite", "storage"):
        most = problem[cost]
        model.addConstr(sum(o[cost] / most * picked[i, k] for i, t in enumerate(problem["tables"]) for k, o in enumerate(t)) <= 1)
    model.maximize(sum(c * x for c, x in objective))
    values = model.getSolution().col_value
    return [next(k for k in range(-1, len(t)) if values[picked[i, k].index] > 0.5) for i, t in enumerate(problem["tables"])]


# The solver greets on standard output whatever its options say.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    print(json.dumps(solve(json.loads(line))), file=answers, flush=True)
