"""Rows that were deleted, and rows that are tracked."""
from maker import MAPPED, TRACKED, VECTORS, at, ctas, rows, some, sql, table


# Deletion vectors
@table(["k"], ask=["vectors"])
def vectors():
    some("vectors", VECTORS)
    sql(f"DELETE FROM {at('vectors')} WHERE id % 7 = 0")


@table(["k"], ask=["vectors"])
def vectorsagain():
    """Vectors that took others' place, and rows that an update put elsewhere."""
    some("vectorsagain", VECTORS)
    sql(f"DELETE FROM {at('vectorsagain')} WHERE id % 7 = 0")
    sql(f"DELETE FROM {at('vectorsagain')} WHERE id % 5 = 0 AND id < 1000")
    sql(f"UPDATE {at('vectorsagain')} SET name = 'updated' WHERE id % 11 = 0")


@table(["id"], ask=["vectors", "partitions", "mapped"])
def vectorsmapped():
    some("vectorsmapped", VECTORS + "," + MAPPED, "PARTITIONED BY (p)", "id, id % 2 p, concat('n', id) n")
    sql(f"DELETE FROM {at('vectorsmapped')} WHERE id % 7 = 0")
    sql(f"ALTER TABLE {at('vectorsmapped')} RENAME COLUMN n TO m")


@table(["k"], since=(4, 0))
def vectorsdropped():
    """A feature was dropped, and its traces are protected."""
    some("vectorsdropped", VECTORS)
    sql(f"DELETE FROM {at('vectorsdropped')} WHERE id % 7 = 0")
    sql(f"ALTER TABLE {at('vectorsdropped')} DROP FEATURE deletionVectors")


@table(["id"])
def vectorsnever():
    some("vectorsnever", VECTORS)


@table(["id"], ask=["vectors"])
def vectorsbig():
    ctas("vectorsbig", "SELECT id, id % 100 k FROM range(0, 200000, 1, 1)", VECTORS)
    sql(f"DELETE FROM {at('vectorsbig')} WHERE id BETWEEN 70000 AND 140000 OR id % 1000 = 3")


# Row tracking
@table(["k"], ask=["tracked"])
def tracked():
    some("tracked", TRACKED)


@table(["k"], ask=["tracked"])
def trackedmoved():
    """Rows that have been moved before have their ids in a column."""
    some("trackedmoved", TRACKED)
    sql(f"UPDATE {at('trackedmoved')} SET name = 'updated' WHERE id % 11 = 0")
    sql(f"OPTIMIZE {at('trackedmoved')}")
    sql(f"INSERT INTO {at('trackedmoved')} {rows(7000, 60)}")


@table(["k"], ask=["tracked", "vectors"])
def trackedvectors():
    some("trackedvectors", TRACKED + "," + VECTORS)
    sql(f"DELETE FROM {at('trackedvectors')} WHERE id % 7 = 0")
    sql(f"UPDATE {at('trackedvectors')} SET name = 'updated' WHERE id % 11 = 0")


@table(["k"], ask=["tracked", "partitions"])
def trackedpartitions():
    some("trackedpartitions", TRACKED, "PARTITIONED BY (p)", "id, id % 2 p, id % 9 k")


@table(["k"], ask=["tracked"])
def trackedlater():
    """Files that were there before rows had ids."""
    some("trackedlater")
    sql(f"ALTER TABLE {at('trackedlater')} SET TBLPROPERTIES ({TRACKED})")
    sql(f"INSERT INTO {at('trackedlater')} {rows(7000, 60)}")


@table(["k"])
def trackable():
    some("trackable", "'delta.feature.rowTracking'='supported'")
