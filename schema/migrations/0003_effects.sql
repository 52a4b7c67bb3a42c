-- What later queries say of a step, and what was learnt from it.

-- A table's files and their bounds before a step gave it new keys, as gzip of JSON. They hold
-- values of the table's own rows, as its log does, and are dropped after 28 days.
CREATE TABLE kept_bounds (
  run_id  TEXT NOT NULL,
  step    INTEGER NOT NULL,
  files   BLOB NOT NULL,
  kept_us INTEGER NOT NULL,
  PRIMARY KEY (run_id, step),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step)
) STRICT, WITHOUT ROWID;

-- A step judged by a later run: what that run's window read, and would have read without it.
CREATE TABLE verdicts (
  run_id         TEXT NOT NULL REFERENCES runs (id), -- that judged
  of_run         TEXT NOT NULL,
  of_step        INTEGER NOT NULL,
  table_name     TEXT NOT NULL,
  verdict        TEXT NOT NULL CHECK (verdict IN ('helped', 'no_effect', 'harmed', 'too_early')),
  executions     INTEGER NOT NULL,       -- scans of later queries
  would_bytes    INTEGER NOT NULL,
  read_bytes     INTEGER NOT NULL,
  measured_bytes INTEGER,                -- by the log's own count; NULL: it does not say
  recorded_us    INTEGER NOT NULL,
  PRIMARY KEY (run_id, of_run, of_step),
  FOREIGN KEY (of_run, of_step) REFERENCES steps (run_id, step)
) STRICT, WITHOUT ROWID;

-- What foretold bytes of a table's new layouts are multiplied by, by reader.
CREATE TABLE calibration (
  run_id      TEXT NOT NULL REFERENCES runs (id), -- that learnt it
  table_name  TEXT NOT NULL,
  reader      TEXT NOT NULL,
  factor      REAL NOT NULL CHECK (factor > 0),
  recorded_us INTEGER NOT NULL,
  PRIMARY KEY (run_id, table_name, reader)
) STRICT, WITHOUT ROWID;

ALTER TABLE plans ADD COLUMN upkeep_budget_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE plans ADD COLUMN upkeep_bytes INTEGER NOT NULL DEFAULT 0;

-- Whether what was changed has helped, by the latest run that could tell.
CREATE VIEW audit_verdicts AS
SELECT r.night, v.run_id AS judged_by, v.table_name, s.layout, v.of_run AS run, v.of_step AS step, v.verdict,
  v.executions, v.would_bytes, v.read_bytes, v.would_bytes - v.read_bytes AS saved_bytes, v.measured_bytes
FROM verdicts v
JOIN runs r ON r.id = v.run_id
JOIN audit_steps s ON s.run = v.of_run AND s.step = v.of_step
ORDER BY r.night, r.attempt, v.table_name;
