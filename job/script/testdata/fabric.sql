-- ajlo reorganisation script
-- plan sha256 abababababababababababababababababababababababababababababababab
-- window 2026-11-23T00:00:00Z to 2026-11-30T00:00:00Z, engine script, dialect fabric
-- why tonight: drift 0.31 from the plan in force
-- rewrites 1.00 GB of a budget of 20.0 GB; saves 3.00 GB a window; NPV 20.0 GB, at most 20.0 GB possible
-- seen: 0 applications, 0 queries (0 failed, 0 unfinished), 0 scans of 0 B
-- not seen: 0 predicates and 0 joins cut off, 0 B from tables not found, 0 log files unreadable
-- MERGE undoes an order unless it leaves rows where they are that it only copies: have this setting on the
-- clusters that merge, too. SET takes a cluster; a SQL warehouse refuses settings of Spark.
SET spark.microsoft.delta.merge.lowShuffle.enabled=true;

-- step 1 of 1: rekey sales.orders, version 7, to hilbert(a, b)
-- at /lake/t
-- why: hilbert(a, b) reads 1 GB a window instead of 4 GB and this line must stay a comment
-- expected: rewrites 1.00 GB into about 16 files; reads 1.00 GB a window instead of 4.00 GB
SET spark.databricks.delta.commitInfo.userMetadata={"run":"script","step":0,"plan_sha256":"abababababababababababababababababababababababababababababababab"};
SET spark.databricks.delta.optimize.maxFileSize=0;
ALTER TABLE delta.`abfss://lake/t` CLUSTER BY (`a`, `b`);
OPTIMIZE delta.`abfss://lake/t` FULL;
ANALYZE TABLE delta.`abfss://lake/t` COMPUTE STATISTICS;
-- undo, only while nothing but this step was written to the table after version 7:
-- (until VACUUM takes the files of before: seven days unless delta.deletedFileRetentionDuration says otherwise)
-- RESTORE TABLE delta.`abfss://lake/t` TO VERSION AS OF 7;

