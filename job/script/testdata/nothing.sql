-- ajlo reorganisation script
-- plan sha256 abababababababababababababababababababababababababababababababab
-- window 0001-01-01T00:00:00Z to 0001-01-01T00:00:00Z, engine embedded, dialect spark-delta-3.3
-- why tonight: no drift
-- rewrites 0 B of a budget of 0 B; saves 0 B a window; NPV 0 B, at most 0 B possible
-- seen: 0 applications, 0 queries (0 failed, 0 unfinished), 0 scans of 0 B
-- not seen: 0 predicates and 0 joins cut off, 0 B from tables not found, 0 log files unreadable

-- Nothing to do.
