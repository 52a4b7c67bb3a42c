-- How far did the workload move each night, and which join moved most?
SELECT night, reference, round(score, 3) AS drift, round(score_paper, 3) AS drift_by_the_paper,
  edge, round(change, 3) AS its_change, first_seen
FROM audit_drift d
WHERE edge IS NULL OR edge = (SELECT e.edge FROM audit_drift e WHERE e.run = d.run AND e.reference = d.reference
  ORDER BY e.change DESC, e.edge LIMIT 1)
ORDER BY night, run, reference;
