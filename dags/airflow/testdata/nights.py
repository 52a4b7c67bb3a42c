"""Runs the DAG with dag.test(), once for each night that is asked for on standard input, and
prints as its last line what became of their tasks as JSON.

In: [{"date", "parameters", "approver"}]; out: [{"state", "tasks": {name: {"state", "tries", "value"}}}]
"""

import json
import sys
from datetime import datetime, timezone
from types import SimpleNamespace

from airflow.api_fastapi.execution_api.datamodels.hitl import HITLUser
from airflow.providers.standard.triggers import hitl

sys.path.insert(0, sys.argv[1])
import ajlo_night  # noqa: E402


def answered(name: str):
    """What the UI's answer is for the operator: dag.test() serves no answers itself."""
    user = HITLUser(id="1", name=name)
    return lambda ti_id: SimpleNamespace(
        response_received=True, chosen_options=["Approve"], params_input={}, responded_at=datetime.now(timezone.utc), responded_by_user=user
    )


def run(night: dict) -> dict:
    hitl.get_hitl_detail_content_detail = answered(night.get("approver", "nobody"))
    dag_run = ajlo_night.ajlo_night().test(logical_date=datetime.fromisoformat(night["date"]), run_conf=night["parameters"])
    tasks = {}
    for ti in dag_run.get_task_instances():
        name = ti.task_id if ti.map_index < 0 else f"{ti.task_id}[{ti.map_index}]"
        value = None if ti.task_id in ("approve", "drifted") else ti.xcom_pull(task_ids=ti.task_id, map_indexes=ti.map_index)
        tasks[name] = {"state": str(ti.state), "tries": ti.try_number, "value": value}
    return {"state": str(dag_run.state), "tasks": tasks}


nights = [run(night) for night in json.load(sys.stdin)]
print("\n" + json.dumps(nights))
