-- Views for people: times as ISO 8601 text in UTC, sizes in bytes, layouts as text. They
-- read with any SQLite tool and hold all there is to say about what was changed and why.

CREATE VIEW audit_runs AS
SELECT r.night, r.attempt, r.id AS run, r.outcome, r.dry_run,
  strftime('%Y-%m-%dT%H:%M:%S', r.started_us / 1000000, 'unixepoch') || printf('.%06dZ', r.started_us % 1000000) AS started,
  strftime('%Y-%m-%dT%H:%M:%S', r.finished_us / 1000000, 'unixepoch') || printf('.%06dZ', r.finished_us % 1000000) AS finished,
  (r.finished_us - r.started_us) / 1e6 AS seconds,
  strftime('%Y-%m-%dT%H:%M:%S', w.start_us / 1000000, 'unixepoch') || printf('.%06dZ', w.start_us % 1000000) AS window_start,
  strftime('%Y-%m-%dT%H:%M:%S', w.end_us / 1000000, 'unixepoch') || printf('.%06dZ', w.end_us % 1000000) AS window_end,
  w.queries,
  (SELECT count(*) FROM edges e WHERE e.run_id = r.id AND e.scored) AS edges,
  (SELECT d.score FROM drift d WHERE d.run_id = r.id AND d.reference = 'last') AS drift_last,
  (SELECT d.score FROM drift d WHERE d.run_id = r.id AND d.reference = 'plan') AS drift_plan,
  r.trigger_fired, r.trigger_reason,
  p.sha256 AS plan_sha256, p.budget_bytes, p.rewrite_bytes AS planned_rewrite_bytes,
  (SELECT count(*) FROM steps s WHERE s.run_id = r.id) AS steps,
  (SELECT count(*) FROM steps s WHERE s.run_id = r.id AND s.status = 'applied') AS steps_applied,
  (SELECT count(*) FROM steps s WHERE s.run_id = r.id AND s.status = 'failed') AS steps_failed,
  (SELECT coalesce(sum(s.bytes_removed), 0) FROM steps s WHERE s.run_id = r.id AND s.status = 'applied') AS rewritten_bytes,
  r.engine, r.config_hash, r.code_version, r.error
FROM runs r
JOIN windows w ON w.run_id = r.id
LEFT JOIN plans p ON p.run_id = r.id
ORDER BY r.night, r.attempt;

-- Every step of every plan with what became of it.
CREATE VIEW audit_steps AS
SELECT r.night, s.run_id AS run, s.step, s.table_name, s.location, s.kind, s.status,
  coalesce((SELECT 'partitioned(' || group_concat(value, ', ') || ') ' FROM json_each(s.layout, '$.partition')), '')
    || (s.layout ->> '$.order')
    || coalesce((SELECT '(' || group_concat(value, ', ') || ')' FROM json_each(s.layout, '$.clustering')), '') AS layout,
  strftime('%Y-%m-%dT%H:%M:%S', s.started_us / 1000000, 'unixepoch') || printf('.%06dZ', s.started_us % 1000000) AS started,
  strftime('%Y-%m-%dT%H:%M:%S', s.finished_us / 1000000, 'unixepoch') || printf('.%06dZ', s.finished_us % 1000000) AS finished,
  s.took_us / 1e6 AS seconds, s.reason, s.note, s.statement, s.undo, s.changed, s.version,
  s.files_removed, s.files_added, s.bytes_removed, s.bytes_added, s.row_count, s.attempts,
  s.expected_files, s.expected_rewrite_bytes, s.scanned_bytes_now, s.scanned_bytes_then
FROM steps s
JOIN runs r ON r.id = s.run_id
ORDER BY r.night, r.attempt, s.step;

-- What changed a table: when, by which run and plan, why, what was promised, what it did
-- and what it cost.
CREATE VIEW audit_changes AS
SELECT s.table_name, s.finished AS changed_at, s.night, s.run, s.step, p.sha256 AS plan_sha256,
  s.kind, s.layout, s.reason AS why, p.trigger AS occasion,
  s.scanned_bytes_now - s.scanned_bytes_then AS promised_saved_bytes_per_window,
  s.expected_rewrite_bytes AS promised_rewrite_bytes,
  s.bytes_removed AS rewritten_bytes, s.bytes_added AS written_bytes,
  s.files_removed, s.files_added, s.row_count, s.seconds,
  (SELECT group_concat(f.effect, '; ') FROM (
     SELECT e.measure || CASE e.subject WHEN '' THEN '' ELSE ' of ' || e.subject END || ' '
       || coalesce(iif(e.before = round(e.before), CAST(e.before AS INTEGER), round(e.before, 3)), '?') || ' to '
       || coalesce(iif(e.after = round(e.after), CAST(e.after AS INTEGER), round(e.after, 3)), '?')
       || coalesce(' (foretold ' || iif(e.foretold = round(e.foretold), CAST(e.foretold AS INTEGER), round(e.foretold, 3)) || ')', '') || ' ' || e.unit AS effect
     FROM effects e WHERE e.run_id = s.run AND e.step = s.step ORDER BY e.measure, e.subject) f) AS effects,
  s.version, s.location, s.statement, s.undo
FROM audit_steps s
JOIN plans p ON p.run_id = s.run
WHERE s.status = 'applied' AND s.changed = 1
ORDER BY s.finished, s.table_name;

-- The join graph over time.
CREATE VIEW audit_edges AS
SELECT r.night, r.id AS run, e.edge_key AS edge, e.left_table, e.right_table, e.scored,
  e.f AS executions, e.d AS rows_product, e.d_source, e.c_ms AS mean_task_ms, e.c_source, e.cost_share, e.jis, e.jis_paper,
  (SELECT count(*) FROM fingerprints f WHERE f.run_id = e.run_id AND f.edge = e.edge) AS queries
FROM edges e
JOIN runs r ON r.id = e.run_id
ORDER BY r.night, r.attempt, e.edge;

-- Drift over time, edge by edge, with the run whose window was the reference.
CREATE VIEW audit_drift AS
SELECT r.night, r.id AS run, d.reference, d.reference_run, d.score, d.score_paper, d.speed_factor, d.task_time_shift,
  e.edge_key AS edge, e.jis_before, e.jis_after, e.change, e.first_seen, e.cost_share
FROM drift d
JOIN runs r ON r.id = d.run_id
LEFT JOIN drift_edges e ON e.run_id = d.run_id AND e.reference = d.reference
ORDER BY r.night, r.attempt, d.reference, e.change DESC, e.edge_key;

-- Every layout that was weighed and why it was chosen or not.
CREATE VIEW audit_candidates AS
SELECT r.night, c.run_id AS run, c.table_name,
  coalesce((SELECT 'partitioned(' || group_concat(value, ', ') || ') ' FROM json_each(c.layout, '$.partition')), '')
    || (c.layout ->> '$.order')
    || coalesce((SELECT '(' || group_concat(value, ', ') || ')' FROM json_each(c.layout, '$.clustering')), '') AS layout,
  c.chosen, c.refused, c.scanned_bytes, c.npv_bytes, c.rewrite_bytes, c.gains_bytes, c.losses_bytes, c.reason
FROM candidates c
JOIN runs r ON r.id = c.run_id
ORDER BY r.night, r.attempt, c.table_name, c.candidate;

-- Tables that were never changed, and why: by the latest plan that chose anew and is no advice,
-- else by the latest that speaks of them, else by what is missing for a plan to do so. A night
-- without drift weighs nothing: it would only say that nothing had moved.
CREATE VIEW audit_untouched AS
WITH
  named (table_name) AS (
    SELECT table_name FROM snapshots UNION SELECT table_name FROM plan_tables
    UNION SELECT left_table FROM edges UNION SELECT right_table FROM edges),
  latest (table_name, run_id, night, reason) AS (
    SELECT table_name, run_id, night, reason FROM (
      SELECT t.table_name, t.run_id, r.night, t.reason,
        row_number() OVER (PARTITION BY t.table_name ORDER BY coalesce(r.trigger_fired, 0) DESC, r.dry_run, r.night DESC, r.attempt DESC) AS n
      FROM plan_tables t JOIN runs r ON r.id = t.run_id)
    WHERE n = 1)
SELECT n.table_name,
  CASE
    WHEN l.reason IS NOT NULL THEN l.reason
    WHEN EXISTS (SELECT 1 FROM snapshots s WHERE s.table_name = n.table_name) THEN 'no plan has considered it yet'
    ELSE 'named in joins and not found in the lake'
  END AS why,
  (SELECT s.status || ' in ' || s.run_id || coalesce(': ' || s.note, '') FROM steps s JOIN runs r ON r.id = s.run_id
    WHERE s.table_name = n.table_name ORDER BY r.night DESC, r.attempt DESC, s.step DESC LIMIT 1) AS last_step,
  l.night AS planned_night, l.run_id AS run
FROM named n
LEFT JOIN latest l ON l.table_name = n.table_name
WHERE NOT EXISTS (SELECT 1 FROM steps s WHERE s.table_name = n.table_name AND s.status = 'applied' AND s.changed = 1)
ORDER BY n.table_name;
