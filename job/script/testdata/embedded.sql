-- ajlo reorganisation script
-- plan sha256 abababababababababababababababababababababababababababababababab
-- window 2026-11-23T00:00:00Z to 2026-11-30T00:00:00Z, engine embedded, dialect spark-delta-3.3
-- why tonight: drift 0.31 from the plan in force
-- rewrites 1.00 GB of a budget of 20.0 GB; saves 3.00 GB a window; NPV 20.0 GB, at most 20.0 GB possible
-- seen: 0 applications, 0 queries (0 failed, 0 unfinished), 0 scans of 0 B
-- not seen: 0 predicates and 0 joins cut off, 0 B from tables not found, 0 log files unreadable
-- The embedded engine carries these steps out itself: the statements are comments that say
-- what would do the same on Spark. Nothing below runs as SQL.

-- step 1 of 1: rekey sales.orders, version 7, to hilbert(a, b)
-- at /lake/t
-- why: hilbert(a, b) reads 1 GB a window instead of 4 GB and this line must stay a comment
-- expected: rewrites 1.00 GB into about 16 files; reads 1.00 GB a window instead of 4.00 GB
-- embedded: rewrite all files of the table in that order; the same on Spark:
--   OPTIMIZE `sales`.`orders` ZORDER BY (`a`, `b`);
-- undo, only while nothing but this step was written to the table after version 7:
-- (until VACUUM takes the files of before: seven days unless delta.deletedFileRetentionDuration says otherwise)
-- RESTORE TABLE `sales`.`orders` TO VERSION AS OF 7;

