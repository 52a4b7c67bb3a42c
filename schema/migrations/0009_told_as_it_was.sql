-- What an auditor reads of a step is what was done: files that were put back are none that were
-- written anew, and of what ajlo laid itself Spark's statement is only what comes nearest.

DROP VIEW audit_steps;
CREATE VIEW audit_steps AS
SELECT r.night, s.run_id AS run, s.step, s.table_name, s.location, s.kind, s.status,
  iif(s.layout ->> '$.order' = 'none' AND coalesce(json_array_length(s.layout, '$.partition'), 0) = 0, 'as it arrives',
    coalesce((SELECT 'partitioned(' || group_concat(value, ', ') || ') ' FROM json_each(s.layout, '$.partition')), '')
    || (s.layout ->> '$.order')
    || coalesce((SELECT '(' || group_concat(value, ', ') || ')' FROM json_each(s.layout, '$.clustering')), '')) AS layout,
  strftime('%Y-%m-%dT%H:%M:%S', s.started_us / 1000000, 'unixepoch') || printf('.%06dZ', s.started_us % 1000000) AS started,
  strftime('%Y-%m-%dT%H:%M:%S', s.finished_us / 1000000, 'unixepoch') || printf('.%06dZ', s.finished_us % 1000000) AS finished,
  s.took_us / 1e6 AS seconds, s.reason, s.note,
  CASE
    WHEN b.way = 'put_back' THEN '-- ajlo: files of before put back by a commit of its own'
    WHEN r.engine = 'embedded' THEN '-- ajlo: laid by its embedded engine'
    ELSE s.statement
  END AS statement,
  s.undo, s.changed, s.version,
  s.files_removed, s.files_added, s.bytes_removed, s.bytes_added, s.row_count, s.attempts,
  s.expected_files, s.expected_rewrite_bytes, s.scanned_bytes_now, s.scanned_bytes_then,
  b.way, iif(b.way = 'put_back' OR r.engine = 'embedded', s.statement, NULL) AS nearest_on_spark
FROM steps s
JOIN runs r ON r.id = s.run_id
LEFT JOIN returns b ON b.run_id = s.run_id AND b.step = s.step
ORDER BY r.night, r.attempt, s.step;

DROP VIEW audit_changes;
CREATE VIEW audit_changes AS
SELECT s.table_name, s.finished AS changed_at, s.night, s.run, s.step, p.sha256 AS plan_sha256,
  s.kind, s.way, s.layout, s.reason AS why, p.trigger AS occasion,
  s.scanned_bytes_now - s.scanned_bytes_then AS promised_saved_bytes_per_window,
  s.expected_rewrite_bytes AS promised_rewrite_bytes,
  iif(s.way = 'put_back', 0, s.bytes_removed) AS rewritten_bytes, iif(s.way = 'put_back', 0, s.bytes_added) AS written_bytes,
  iif(s.way = 'put_back', s.bytes_added, 0) AS put_back_bytes,
  s.files_removed, s.files_added, s.row_count, s.seconds,
  (SELECT group_concat(f.effect, '; ') FROM (
     SELECT e.measure || CASE e.subject WHEN '' THEN '' ELSE ' of ' || e.subject END || ' '
       || coalesce(iif(e.before = round(e.before), CAST(e.before AS INTEGER), round(e.before, 3)), '?') || ' to '
       || coalesce(iif(e.after = round(e.after), CAST(e.after AS INTEGER), round(e.after, 3)), '?')
       || coalesce(' (foretold ' || iif(e.foretold = round(e.foretold), CAST(e.foretold AS INTEGER), round(e.foretold, 3)) || ')', '') || ' ' || e.unit AS effect
     FROM effects e WHERE e.run_id = s.run AND e.step = s.step ORDER BY e.measure, e.subject) f) AS effects,
  (SELECT v.verdict || ' by night ' || j.night || ': ' || v.executions || ' scans read ' || v.read_bytes || ' bytes instead of ' || v.would_bytes
     FROM verdicts v JOIN runs j ON j.id = v.run_id
     WHERE v.of_run = s.run AND v.of_step = s.step ORDER BY j.night DESC, j.attempt DESC LIMIT 1) AS verdict,
  r.approved_by, s.version, s.location, s.statement, s.nearest_on_spark, s.undo
FROM audit_steps s
JOIN plans p ON p.run_id = s.run
JOIN runs r ON r.id = s.run
WHERE s.status = 'applied' AND s.changed = 1
ORDER BY s.finished, s.table_name;

DROP VIEW audit_runs;
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
  (SELECT coalesce(sum(s.bytes_removed), 0) FROM steps s WHERE s.run_id = r.id AND s.status = 'applied'
     AND NOT EXISTS (SELECT 1 FROM returns b WHERE b.run_id = s.run_id AND b.step = s.step AND b.way = 'put_back')) AS rewritten_bytes,
  r.approved_by,
  strftime('%Y-%m-%dT%H:%M:%S', r.approved_until_us / 1000000, 'unixepoch') || printf('.%06dZ', r.approved_until_us % 1000000) AS approved_until,
  r.engine, r.config_hash, r.code_version, r.error, r.purpose, r.undoes
FROM runs r
JOIN windows w ON w.run_id = r.id
LEFT JOIN plans p ON p.run_id = r.id
ORDER BY r.night, r.attempt;
