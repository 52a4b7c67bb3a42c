-- What became of the book itself: runs whose detail was pruned, and runs that were written anew
-- from the histories of the tables they changed.
ALTER TABLE runs ADD COLUMN pruned_us INTEGER;  -- NULL: all of its detail is here
ALTER TABLE runs ADD COLUMN rebuilt_us INTEGER; -- NULL: it was recorded as it happened

-- Runs of which less is here than was recorded, and why.
CREATE VIEW audit_keeping AS
SELECT r.night, r.id AS run, r.outcome, p.sha256 AS plan_sha256,
  strftime('%Y-%m-%dT%H:%M:%SZ', r.pruned_us / 1000000, 'unixepoch') AS pruned_at,
  strftime('%Y-%m-%dT%H:%M:%SZ', r.rebuilt_us / 1000000, 'unixepoch') AS rebuilt_at
FROM runs r
LEFT JOIN plans p ON p.run_id = r.id
WHERE r.pruned_us IS NOT NULL OR r.rebuilt_us IS NOT NULL
ORDER BY r.night, r.attempt;
