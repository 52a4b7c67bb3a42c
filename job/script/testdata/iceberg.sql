-- ajlo reorganisation script
-- plan sha256 abababababababababababababababababababababababababababababababab
-- window 2026-11-23T00:00:00Z to 2026-11-30T00:00:00Z, engine sparksql, dialect spark-delta-3.3
-- why tonight: drift 0.31 from the plan in force
-- rewrites 1.00 GB of a budget of 20.0 GB; saves 3.00 GB a window; NPV 20.0 GB, at most 20.0 GB possible
-- seen: 0 applications, 0 queries (0 failed, 0 unfinished), 0 scans of 0 B
-- not seen: 0 predicates and 0 joins cut off, 0 B from tables not found, 0 log files unreadable

-- step 1 of 1: rekey lake.tele.calls, version 7, to zorder(a, b)
-- at /lake/t
-- only: started from 2026-11-28 to 2026-11-30
-- why: hilbert(a, b) reads 1 GB a window instead of 4 GB and this line must stay a comment
-- expected: rewrites 1.00 GB into about 16 files; reads 1.00 GB a window instead of 4.00 GB
SELECT java_method('org.apache.iceberg.EnvironmentContext', 'put', 'ajlo', '{"run":"script","step":0,"plan_sha256":"abababababababababababababababababababababababababababababababab"}'), java_method('org.apache.iceberg.EnvironmentContext', 'put', 'ajlo.layout', '{"order":"zorder","clustering":["a","b"]}') FROM VALUES (1);
ALTER TABLE `lake`.`tele`.`calls` SET TBLPROPERTIES ('ajlo.layout' = '{"order":"zorder","clustering":["a","b"]}');
CALL `lake`.system.rewrite_data_files(table => '`tele`.`calls`', strategy => 'sort', sort_order => 'zorder(`a`, `b`)', options => map('rewrite-all', 'true', 'target-file-size-bytes', '1048576'), where => '(`started` >= TIMESTAMP \'2026-11-28 00:00:00Z\' AND `started` < TIMESTAMP \'2026-11-30 00:00:00Z\')');
CALL `lake`.system.compute_table_stats(table => '`tele`.`calls`', columns => array('a', 'b'));
SELECT java_method('org.apache.iceberg.EnvironmentContext', 'remove', 'ajlo'), java_method('org.apache.iceberg.EnvironmentContext', 'remove', 'ajlo.layout') FROM VALUES (1);
-- undo, only while nothing but this step was written to the table after version 7:
-- (until expire_snapshots takes snapshot 7: five days unless history.expire.max-snapshot-age-ms says otherwise)
-- CALL `lake`.system.rollback_to_snapshot(table => '`tele`.`calls`', snapshot_id => 7);

