-- Runs that take back what an earlier run changed.
ALTER TABLE runs ADD COLUMN purpose TEXT NOT NULL DEFAULT 'night' CHECK (purpose IN ('night', 'rollback'));
ALTER TABLE runs ADD COLUMN undoes TEXT REFERENCES runs (id); -- that a rollback takes back

-- What became of each step that a rollback was to take back. step is that of its own plan; NULL
-- where nothing was to be done, and why.
CREATE TABLE returns (
  run_id   TEXT NOT NULL REFERENCES runs (id), -- the rollback
  of_run   TEXT NOT NULL,
  of_step  INTEGER NOT NULL,
  step     INTEGER,
  way      TEXT NOT NULL CHECK (way IN ('put_back', 'by_keys', 'none', 'done')),
  reason   TEXT NOT NULL,
  until_us INTEGER,                            -- when the files of before may go; NULL: no such time
  PRIMARY KEY (run_id, of_run, of_step),
  FOREIGN KEY (of_run, of_step) REFERENCES steps (run_id, step)
) STRICT, WITHOUT ROWID;

-- What was taken back, how, and what could not be.
CREATE VIEW audit_rollbacks AS
SELECT r.night, b.run_id AS run, b.of_run, b.of_step, o.table_name, b.way, b.reason,
  strftime('%Y-%m-%dT%H:%M:%SZ', b.until_us / 1000000, 'unixepoch') AS open_until,
  coalesce(s.status, iif(b.way = 'none', 'refused', 'applied')) AS status, s.note, s.version, s.finished AS changed_at
FROM returns b
JOIN runs r ON r.id = b.run_id
JOIN steps o ON o.run_id = b.of_run AND o.step = b.of_step
LEFT JOIN audit_steps s ON s.run = b.run_id AND s.step = b.step
ORDER BY r.night, r.attempt, b.of_step;
