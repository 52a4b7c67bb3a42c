"""The other features that a protocol may name."""
from pyspark.sql import functions

from maker import at, create, here, rows, some, sql, table


@table(["k"])
def committime():
    some("committime", "'delta.enableInCommitTimestamps'='true'")


@table(["k"])
def committimelater():
    some("committimelater")
    sql(f"ALTER TABLE {at('committimelater')} SET TBLPROPERTIES ('delta.enableInCommitTimestamps'='true')")


@table(["k"])
def appendonly():
    some("appendonly", "'delta.appendOnly'='true'")


@table(["id"])
def invariant():
    checked = functions.col("id").alias("id", metadata={"delta.invariants": '{"expression":{"expression":"id >= 0"}}'})
    for start in (0, 500):
        here.spark.range(start, start + 100, 1, 1).select(checked).write.format("delta").mode("append").save(f"{here.root}/invariant")


@table(["k"])
def checked():
    some("checked")
    sql(f"ALTER TABLE {at('checked')} ADD CONSTRAINT positive CHECK (id >= 0)")


@table(["k"])
def notnull():
    create("notnull", "id BIGINT NOT NULL, k INT NOT NULL, s STRUCT<a: INT NOT NULL> NOT NULL")
    for start in (0, 500):
        columns = "id, cast(id % 9 as int), named_struct('a', cast(id as int))"
        sql(f"INSERT INTO {at('notnull')} {rows(start, 80, columns)}")


def builder(name):
    api = here.spark._jvm.io.delta.tables.DeltaTable
    return api.create(here.spark._jsparkSession).location(f"{here.root}/{name}"), lambda column: api.columnBuilder(here.spark._jsparkSession, column).dataType("BIGINT")


@table(["id"])
def generated():
    make, column = builder("generated")
    make.addColumn("id", "BIGINT").addColumn(column("g").generatedAlwaysAs("id * 2").build()).execute()
    for start in (0, 500):
        sql(f"INSERT INTO {at('generated')} (id) {rows(start, 80, 'id')}")


@table(["id"], ask=["identity"])
def identity():
    make, column = builder("identity")
    make.addColumn("id", "BIGINT").addColumn(column("g").generatedAlwaysAsIdentity().build()).execute()
    for start in (0, 500):
        sql(f"INSERT INTO {at('identity')} (id) {rows(start, 80, 'id')}")


def defaulting(name):
    create(name, "id BIGINT, x INT DEFAULT 7", "'delta.feature.allowColumnDefaults'='supported'")
    sql(f"INSERT INTO {at(name)} (id) {rows(0, 80, 'id')}")
    sql(f"INSERT INTO {at(name)} {rows(500, 80, 'id, cast(id % 9 as int)')}")


@table(["x"], since=(4, 0))
def defaults():
    defaulting("defaults")


@table(["x"], refused="EXISTS_DEFAULT", until=(3, 5))
def defaultsbefore():
    """Up to Delta 3.3 a column also says what it is in files that do not have it."""
    defaulting("defaultsbefore")


@table(["k"], ask=["feed"])
def feed():
    some("feed", "'delta.enableChangeDataFeed'='true'")
    sql(f"UPDATE {at('feed')} SET name = 'updated' WHERE id % 11 = 0")


@table(["k"])
def legacy25():
    some("legacy25", "'delta.minReaderVersion'='2','delta.minWriterVersion'='5'")


@table(["k"])
def legacy16():
    some("legacy16", "'delta.minReaderVersion'='1','delta.minWriterVersion'='6'")


@table(["k"])
def legacy12():
    some("legacy12", "'delta.minReaderVersion'='1','delta.minWriterVersion'='2'")


@table(["k"])
def vacuumcheck():
    some("vacuumcheck", "'delta.feature.vacuumProtocolCheck'='supported'")


@table(["k"])
def streamed():
    for batch in range(3):
        frame = here.spark.sql(rows(batch * 500, 80))
        frame.write.format("delta").mode("append").option("txnAppId", "stream").option("txnVersion", batch).save(f"{here.root}/streamed")
