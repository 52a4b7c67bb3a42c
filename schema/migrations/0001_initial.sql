-- The state file of ajlo. Times are UTC microseconds since 1970 (columns _us), sizes are
-- bytes, shares and scores lie in 0 … 1. No literal of a query is ever stored.

-- One night's attempt. A night may have several; outcome is NULL while one is at work.
CREATE TABLE runs (
  id           TEXT PRIMARY KEY,
  night        TEXT NOT NULL,              -- UTC date of the window's end, 2026-11-29
  attempt      INTEGER NOT NULL,           -- 1, 2, … within the night
  dry_run      INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  engine       TEXT NOT NULL,
  config_hash  TEXT NOT NULL,
  code_version TEXT NOT NULL,
  holder       TEXT NOT NULL,              -- which process, for people
  started_us   INTEGER NOT NULL,
  finished_us  INTEGER,
  outcome      TEXT CHECK (outcome IN ('no_evidence', 'no_drift', 'nothing_to_do', 'applied',
                 'applied_in_part', 'failed', 'refused', 'dry_run', 'verification_failed', 'interrupted')),
  error        TEXT,
  trigger_fired INTEGER CHECK (trigger_fired IN (0, 1)),
  trigger_reason TEXT,
  UNIQUE (night, attempt),
  CHECK ((outcome IS NULL) = (finished_us IS NULL))
) STRICT;

-- The run that may write, at most one. An expired lease may be taken by the next run.
CREATE TABLE lease (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  run_id   TEXT NOT NULL REFERENCES runs (id),
  until_us INTEGER NOT NULL
) STRICT;

-- The workload a run looked at: queries that start in [start_us, end_us).
CREATE TABLE windows (
  run_id      TEXT PRIMARY KEY REFERENCES runs (id),
  start_us    INTEGER NOT NULL,
  end_us      INTEGER NOT NULL CHECK (end_us > start_us),
  recorded_us INTEGER,                     -- when its join graph was stored; NULL: none was
  queries     INTEGER,                     -- succeeded user queries
  keyless     INTEGER,                     -- joins without equality keys
  task_ms     INTEGER                      -- task time of those queries together
) STRICT;

-- The join graph of a window. scored = 0: only broadcast, or removed at run time.
CREATE TABLE edges (
  run_id      TEXT NOT NULL REFERENCES windows (run_id),
  edge        INTEGER NOT NULL,            -- position in the graph; scored ones first
  edge_key    TEXT NOT NULL,
  left_table  TEXT NOT NULL,
  right_table TEXT NOT NULL,
  is_self     INTEGER NOT NULL CHECK (is_self IN (0, 1)),
  expression  INTEGER NOT NULL CHECK (expression IN (0, 1)),
  scored      INTEGER NOT NULL CHECK (scored IN (0, 1)),
  f           INTEGER NOT NULL,            -- executions
  d           REAL NOT NULL,               -- product of row counts
  d_source    TEXT NOT NULL,
  c_ms        REAL NOT NULL,               -- mean task time
  c_source    TEXT NOT NULL,
  cost_share  REAL NOT NULL,
  jis_paper   REAL NOT NULL,
  jis         REAL NOT NULL,
  PRIMARY KEY (run_id, edge),
  UNIQUE (run_id, edge_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE edge_pairs (
  run_id       TEXT NOT NULL,
  edge         INTEGER NOT NULL,
  pair         INTEGER NOT NULL,
  left_column  TEXT NOT NULL,
  right_column TEXT NOT NULL,
  PRIMARY KEY (run_id, edge, pair),
  FOREIGN KEY (run_id, edge) REFERENCES edges (run_id, edge)
) STRICT, WITHOUT ROWID;

-- Which plans (by fingerprint) an edge comes from.
CREATE TABLE fingerprints (
  run_id      TEXT NOT NULL,
  edge        INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (run_id, edge, fingerprint),
  FOREIGN KEY (run_id, edge) REFERENCES edges (run_id, edge)
) STRICT, WITHOUT ROWID;

-- How far the window moved from a reference. Scores are NULL where there was none yet.
CREATE TABLE drift (
  run_id          TEXT NOT NULL REFERENCES runs (id),
  reference       TEXT NOT NULL,           -- last | plan
  reference_run   TEXT REFERENCES runs (id), -- whose window that is; NULL: none yet
  score           REAL,
  score_paper     REAL,
  speed_factor    REAL NOT NULL,
  task_time_shift REAL NOT NULL,
  PRIMARY KEY (run_id, reference)
) STRICT, WITHOUT ROWID;

CREATE TABLE drift_edges (
  run_id     TEXT NOT NULL,
  reference  TEXT NOT NULL,
  edge_key   TEXT NOT NULL,
  jis_before REAL NOT NULL,
  jis_after  REAL NOT NULL,
  change     REAL NOT NULL,
  first_seen INTEGER NOT NULL CHECK (first_seen IN (0, 1)),
  cost_share REAL NOT NULL,
  PRIMARY KEY (run_id, reference, edge_key),
  FOREIGN KEY (run_id, reference) REFERENCES drift (run_id, reference)
) STRICT, WITHOUT ROWID;

-- The tables as a run found them, and as it left them. Layout and protocol are JSON.
CREATE TABLE snapshots (
  run_id      TEXT NOT NULL REFERENCES runs (id),
  table_name  TEXT NOT NULL,
  location    TEXT NOT NULL,
  format      TEXT NOT NULL,
  version     INTEGER NOT NULL,
  schema_hash TEXT NOT NULL,
  protocol    TEXT NOT NULL,
  owner       TEXT NOT NULL,
  layout      TEXT NOT NULL,
  files       INTEGER NOT NULL,
  bytes       INTEGER NOT NULL,
  row_count   INTEGER,                     -- NULL: the format does not say
  recorded_us INTEGER NOT NULL,
  PRIMARY KEY (run_id, table_name, version)
) STRICT, WITHOUT ROWID;

-- The decision of a run, whole (json, with its SHA-256) and by its main figures.
CREATE TABLE plans (
  run_id                 TEXT PRIMARY KEY REFERENCES runs (id),
  sha256                 TEXT NOT NULL,
  json                   TEXT NOT NULL,
  recorded_us            INTEGER NOT NULL,
  trigger                TEXT NOT NULL,
  threshold              REAL NOT NULL,
  engine                 TEXT NOT NULL,
  dialect                TEXT NOT NULL,
  budget_bytes           INTEGER NOT NULL,
  storage_budget_bytes   INTEGER NOT NULL,
  rewrite_bytes          INTEGER NOT NULL,
  saved_bytes_per_window INTEGER NOT NULL,
  npv_bytes              INTEGER NOT NULL,
  upper_bound            INTEGER NOT NULL,
  gap                    REAL NOT NULL
) STRICT;
CREATE INDEX plans_by_sha256 ON plans (sha256);

CREATE TABLE plan_tables (
  run_id             TEXT NOT NULL REFERENCES plans (run_id),
  table_name         TEXT NOT NULL,
  location           TEXT NOT NULL,
  version            INTEGER NOT NULL,
  owner              TEXT NOT NULL,
  current            TEXT NOT NULL,
  chosen             TEXT NOT NULL,
  reason             TEXT NOT NULL,
  bytes              INTEGER NOT NULL,
  rewrite_bytes      INTEGER NOT NULL,
  scanned_bytes_now  INTEGER NOT NULL,     -- per window
  scanned_bytes_then INTEGER NOT NULL,
  PRIMARY KEY (run_id, table_name)
) STRICT, WITHOUT ROWID;

-- Every layout that was weighed, chosen or not. Figures are NULL where it was refused.
CREATE TABLE candidates (
  run_id        TEXT NOT NULL,
  table_name    TEXT NOT NULL,
  candidate     INTEGER NOT NULL,
  layout        TEXT NOT NULL,
  chosen        INTEGER NOT NULL CHECK (chosen IN (0, 1)),
  refused       INTEGER NOT NULL CHECK (refused IN (0, 1)),
  scanned_bytes INTEGER,
  npv_bytes     INTEGER,
  rewrite_bytes INTEGER,
  gains_bytes   INTEGER,                   -- over the query classes that would read less
  losses_bytes  INTEGER,                   -- over those that would read more
  reason        TEXT NOT NULL,
  PRIMARY KEY (run_id, table_name, candidate),
  FOREIGN KEY (run_id, table_name) REFERENCES plan_tables (run_id, table_name)
) STRICT, WITHOUT ROWID;

-- What each class of queries scans of a table per window, as it is and by the chosen layout.
CREATE TABLE plan_queries (
  run_id             TEXT NOT NULL,
  table_name         TEXT NOT NULL,
  fingerprint        TEXT NOT NULL,
  executions         INTEGER NOT NULL,
  scanned_bytes_now  INTEGER NOT NULL,
  scanned_bytes_then INTEGER NOT NULL,
  PRIMARY KEY (run_id, table_name, fingerprint),
  FOREIGN KEY (run_id, table_name) REFERENCES plan_tables (run_id, table_name)
) STRICT, WITHOUT ROWID;

-- What the plan would do and what became of it. answer is the engine's, as JSON.
CREATE TABLE steps (
  run_id             TEXT NOT NULL REFERENCES plans (run_id),
  step               INTEGER NOT NULL,     -- position in the plan, from 0
  table_name         TEXT NOT NULL,
  location           TEXT NOT NULL,
  kind               TEXT NOT NULL,
  layout             TEXT NOT NULL,
  statement          TEXT NOT NULL,
  reason             TEXT NOT NULL,
  undo               TEXT NOT NULL,
  planned_version    INTEGER NOT NULL,
  expected_files     INTEGER NOT NULL,
  expected_rewrite_bytes INTEGER NOT NULL,
  scanned_bytes_now  INTEGER NOT NULL,     -- foretold, per window
  scanned_bytes_then INTEGER NOT NULL,
  status             TEXT NOT NULL CHECK (status IN ('pending', 'running', 'applied', 'failed', 'refused', 'skipped')),
  started_us         INTEGER,
  finished_us        INTEGER,
  note               TEXT,                -- why it failed, was refused or skipped
  answer             TEXT,
  changed            INTEGER CHECK (changed IN (0, 1)),
  version            INTEGER,              -- committed
  files_removed      INTEGER,
  files_added        INTEGER,
  bytes_removed      INTEGER,
  bytes_added        INTEGER,
  row_count          INTEGER,              -- rows rewritten
  attempts           INTEGER,
  took_us            INTEGER,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- The write-ahead list: files a step was about to create. Only files named here are ever
-- deleted by ajlo, and only while they are pending.
CREATE TABLE files (
  run_id      TEXT NOT NULL,
  step        INTEGER NOT NULL,
  location    TEXT NOT NULL,
  path        TEXT NOT NULL,               -- relative to location
  state       TEXT NOT NULL CHECK (state IN ('pending', 'committed', 'swept')),
  intended_us INTEGER NOT NULL,
  settled_us  INTEGER,
  PRIMARY KEY (run_id, step, location, path),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_pending ON files (run_id, step) WHERE state = 'pending';

-- What a step was measured to have done: before, as foretold and after, by measure.
CREATE TABLE effects (
  run_id      TEXT NOT NULL,
  step        INTEGER NOT NULL,
  measure     TEXT NOT NULL,               -- scanned_bytes, overlap_depth, …
  subject     TEXT NOT NULL,               -- a column, a query class; '' for the table
  unit        TEXT NOT NULL,
  before      REAL,
  foretold    REAL,
  after       REAL,
  recorded_us INTEGER NOT NULL,
  PRIMARY KEY (run_id, step, measure, subject),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step)
) STRICT, WITHOUT ROWID;
