"""What statements leave behind, and what Parquet files may look like."""
from maker import ROWS, at, create, ctas, here, rows, some, sql, table


# Histories
@table(["k"])
def merged():
    some("merged")
    sql(f"MERGE INTO {at('merged')} t USING (SELECT id, 1 x FROM range(100, 400, 3)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'merged'"
        " WHEN NOT MATCHED THEN INSERT (id, k, name, price) VALUES (s.id, 1, 'new', 0.5)")


@table(["k"])
def overwritten():
    some("overwritten")
    sql(f"INSERT OVERWRITE {at('overwritten')} {rows(0, 90)}")
    sql(f"INSERT INTO {at('overwritten')} {rows(400, 90)}")


@table(["k"])
def restored():
    some("restored")
    sql(f"DELETE FROM {at('restored')} WHERE id % 2 = 0")
    sql(f"RESTORE TABLE {at('restored')} TO VERSION AS OF 1")


@table(["k"])
def converted():
    here.spark.sql(rows(0, 200)).write.parquet(f"{here.root}/converted")
    sql(f"CONVERT TO DELTA parquet.`{here.root}/converted`")


@table(["k"], ask=["partitions"])
def convertedparts():
    here.spark.sql(rows(0, 200, "id, id % 9 k, concat('p ', id % 2) p")).write.partitionBy("p").parquet(f"{here.root}/convertedparts")
    sql(f"CONVERT TO DELTA parquet.`{here.root}/convertedparts` PARTITIONED BY (p STRING)")


@table(["k"])
def vacuumed():
    some("vacuumed")
    sql(f"OPTIMIZE {at('vacuumed')}")
    sql(f"INSERT INTO {at('vacuumed')} {rows(7000, 60)}")
    here.spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    sql(f"VACUUM {at('vacuumed')} RETAIN 0 HOURS")


@table(["k"])
def empty():
    create("empty", "id BIGINT, k INT")


@table(["k"])
def manyfiles():
    ctas("manyfiles", "SELECT id, cast(id * 7919 % 1000 as int) k FROM range(0, 400, 1, 60)")


# Files
@table(["k"], **{"spark.sql.parquet.compression.codec": "zstd"})
def zstd():
    some("zstd")


@table(["k"], **{"spark.sql.parquet.compression.codec": "gzip"})
def gzip():
    some("gzip")


@table(["k"], **{"spark.sql.parquet.compression.codec": "none"})
def uncompressed():
    some("uncompressed")


@table(["k"])
def pagesv2():
    """Pages of the second form and encodings that go with it."""
    settings = here.spark._jsc.hadoopConfiguration()
    settings.set("parquet.writer.version", "v2")
    some("pagesv2", columns=ROWS + ", if(id % 3 = 0, null, concat('n', id)) maybe, array(id, id + 1) a")
    settings.unset("parquet.writer.version")


@table(["k"])
def smallpages():
    settings = here.spark._jsc.hadoopConfiguration()
    settings.set("parquet.page.size", "512")
    settings.set("parquet.block.size", "16384")
    ctas("smallpages", "SELECT id, cast(id * 7919 % 1000 as int) k, concat('name ', id) name, if(id % 3 = 0, null, id) maybe FROM range(0, 20000, 1, 1)")
    settings.unset("parquet.page.size")
    settings.unset("parquet.block.size")
