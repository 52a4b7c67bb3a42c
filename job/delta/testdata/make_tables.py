"""Makes the tables in tables/ with real Spark 4.0.2 and Delta 4.0.1.

    python make_tables.py DELTA_SPARK_JAR DELTA_STORAGE_JAR

Needs Java 17 and pyspark 4.0.2. Each table shows one thing that readers of Delta logs have
to get right; tests name the table they use. Tables of which only the log matters come
without data files. expected.json beside them is what Spark itself says of their versions: the
data files, decoded.
"""

import glob
import json
import os
import shutil
import sys

from pyspark.sql import SparkSession, functions

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")
LOG_ONLY = """checkpointed multipart vectors busy clustered feed checked generated identity defaults
rowtracking committime v2checkpoint appendonly widened variant voided zordered plain invariant
symlinked legacy typedstats""".split()
KEEP_CHECKSUMS = {"checkpointed"}

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars", ",".join(sys.argv[1:3]))
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.sql.warehouse.dir", "/tmp/ajlo-make-tables")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
sql = spark.sql


def at(name):
    return f"delta.`{ROOT}/{name}`"


def ctas(name, select, properties="", clause=""):
    properties = f"TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {at(name)} USING delta {clause} {properties} AS {select}")


def create(name, columns, properties="", clause=""):
    properties = f"TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {at(name)} ({columns}) USING delta {clause} {properties}")


def insert(name, *rows):
    """Rows that land in one file."""
    union = " UNION ALL ".join(f"SELECT {r}" for r in rows)
    sql(f"INSERT INTO {at(name)} SELECT /*+ COALESCE(1) */ * FROM ({union})")


def rows(count, start=0):
    return f"SELECT id, cast(id%3 as int) k, concat('n',id) name FROM range({start},{start+count},1,1)"


def logs():
    ctas("plain", rows(3))
    ctas("checkpointed", rows(4), "'delta.checkpointInterval'='5'")
    for i in range(1, 12):
        if i == 3:
            sql(f"DELETE FROM {at('checkpointed')} WHERE id < 2")
        elif i == 7:
            sql(f"UPDATE {at('checkpointed')} SET name='u' WHERE id=101")
        else:
            sql(f"INSERT INTO {at('checkpointed')} {rows(3, i*100)}")
    spark.conf.set("spark.databricks.delta.checkpoint.partSize", "3")
    ctas("multipart", rows(2), "'delta.checkpointInterval'='4'")
    for i in range(1, 6):
        sql(f"INSERT INTO {at('multipart')} {rows(2, i*10)}")
    spark.conf.unset("spark.databricks.delta.checkpoint.partSize")
    ctas("v2checkpoint", rows(2), "'delta.checkpointPolicy'='v2','delta.checkpointInterval'='2'")
    for i in range(1, 4):
        sql(f"INSERT INTO {at('v2checkpoint')} {rows(2, i*10)}")
    busy()


def busy():
    """A checkpoint of everything: partitions with NULL, deletion vectors, domains, txn."""
    create(
        "busy", "id BIGINT, p STRING", "'delta.checkpointInterval'='4',"
        "'delta.enableDeletionVectors'='true','delta.enableRowTracking'='true'", "PARTITIONED BY (p)")
    insert("busy", "1,'a b:0'", "2,null", "3,'a b:0'")
    sql(f"DELETE FROM {at('busy')} WHERE id=1")
    (spark.range(5, 7).selectExpr("id", "'100%' p").coalesce(1).write.format("delta").mode("append")
     .option("txnAppId", "stream").option("txnVersion", 7).save(f"{ROOT}/busy"))
    sql(f"INSERT INTO {at('busy')} VALUES (8,'x')")
    sql(f"INSERT INTO {at('busy')} VALUES (9,'x')")


def features():
    ctas("vectors", rows(5), "'delta.enableDeletionVectors'='true'")
    sql(f"DELETE FROM {at('vectors')} WHERE id=2")
    ctas("mapped", rows(2), "'delta.columnMapping.mode'='name'")
    sql(f"ALTER TABLE {at('mapped')} RENAME COLUMN k TO key")
    ctas("clustered", rows(4), clause="CLUSTER BY (k)")
    sql(f"OPTIMIZE {at('clustered')} FULL")
    ctas("feed", rows(2), "'delta.enableChangeDataFeed'='true'")
    ctas("checked", rows(2))
    sql(f"ALTER TABLE {at('checked')} ADD CONSTRAINT pos CHECK (id >= 0)")
    table = spark._jvm.io.delta.tables.DeltaTable
    column = lambda name: table.columnBuilder(spark._jsparkSession, name).dataType("BIGINT")
    for name, built in (("generated", column("g").generatedAlwaysAs("id*2")), ("identity", column("g").generatedAlwaysAsIdentity())):
        table.create(spark._jsparkSession).location(f"{ROOT}/{name}").addColumn("id", "BIGINT").addColumn(built.build()).execute()
    create("defaults", "id BIGINT, x INT DEFAULT 7", "'delta.feature.allowColumnDefaults'='supported'")
    ctas("rowtracking", rows(2), "'delta.enableRowTracking'='true'")
    ctas("committime", rows(2), "'delta.enableInCommitTimestamps'='true'")
    ctas("appendonly", rows(2), "'delta.appendOnly'='true'")
    ctas("widened", "SELECT cast(id as int) id FROM range(2)", "'delta.enableTypeWidening'='true'")
    sql(f"ALTER TABLE {at('widened')} ALTER COLUMN id TYPE BIGINT")
    create("variant", "id BIGINT, v VARIANT, s STRUCT<a: ARRAY<VARIANT>>")
    ctas("voided", "SELECT id, null v FROM range(2)")
    ctas("symlinked", rows(1), "'delta.compatibility.symlinkFormatManifest.enabled'='true'")
    ctas("legacy", rows(1), "'delta.minReaderVersion'='2','delta.minWriterVersion'='5'")
    checked = functions.col("id").alias("id", metadata={"delta.invariants": '{"expression":{"expression":"id >= 0"}}'})
    spark.range(1).select(checked).write.format("delta").save(f"{ROOT}/invariant")
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", "2000")
    ctas("zordered", "SELECT id, cast(id*7%1000 as int) k FROM range(0,1000,1,1)")
    sql(f"INSERT INTO {at('zordered')} SELECT id, cast(id*7%1000 as int) k FROM range(0,1000,1,1)")
    sql(f"OPTIMIZE {at('zordered')} ZORDER BY (id,k)")


def times(name):
    """Spark's own type for timestamps is INT96; the statistics do not depend on it."""
    create(name, "t TIMESTAMP, n TIMESTAMP_NTZ, d DATE")
    for text in ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00.5", "9999-12-31 23:59:59.999999",
                 "2020-06-07 08:09:10.1", "1582-10-10 00:00:00", "1883-11-18 00:00:00.123456"]:
        insert(name, f"timestamp'{text}', timestamp_ntz'{text}', cast(timestamp_ntz'{text}' as date)")
    insert(name, "null, null, make_date(-44,3,15)", "null, null, make_date(12345,1,1)")
    insert(name, "timestamp'+12345-01-01 00:00:00', null, null")
    spark.conf.set("spark.sql.session.timeZone", "America/St_Johns")
    insert(name, "timestamp'2020-06-07 08:09:10.123456Z', null, null")
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def statistics():
    times("times")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    times("timesmicros")
    create("types", """b BYTE, sh SHORT, i INT, l BIGINT, f FLOAT, d DOUBLE, d5 DECIMAL(5,2), d18 DECIMAL(18,10),
        d38 DECIMAL(38,18), d3838 DECIMAL(38,38), d10 DECIMAL(10,0), s STRING, bin BINARY, bool BOOLEAN, dt DATE,
        ts TIMESTAMP, ntz TIMESTAMP_NTZ, st STRUCT<x: INT, y: STRING>, ar ARRAY<INT>, mp MAP<STRING,INT>, allnull INT, vc VARCHAR(50)""")
    insert("types",
        """1Y,2S,3,4L,cast('NaN' as float),cast('-Infinity' as double),1.10,0.0000000010,0.000000000000000001,
        0.00000000000000000000000000000000000001,10,'a',X'00ff',true,date'0001-01-01',timestamp'1969-12-31 23:59:59.999999',
        timestamp_ntz'1969-12-31 23:59:59.999999',struct(1 as x,'yy' as y),array(1),map('a',1),null,'v'""",
        """-128Y,-32768S,-2147483648,-9223372036854775808L,-0.0f,0.1D,-999.99,-99999999.9999999999,
        -99999999999999999999.999999999999999999,0,0,null,null,null,null,timestamp'1600-02-03 04:05:06.000001',null,null,null,null,null,null""")
    insert("types",
        """127Y,null,null,9223372036854775807L,1.1f,1e300,0.00,0,0,0,9999999999,repeat('z',40),X'',false,date'9999-12-31',
        timestamp'9999-12-31 23:59:59.999999',timestamp_ntz'2020-06-07 08:09:10.123999',struct(1 as x,repeat('q',40) as y),
        array(cast(null as int)),map('b',2),null,repeat('w',40)""",
        """127Y,1S,1,1L,3.4e38f,1.0E-5D,0.01,12345678.12345,100,0.5,1,repeat('é',40),X'',false,date'1969-12-31',
        timestamp'2020-06-07 08:09:10.123000',null,null,null,null,null,repeat('w',32)""")
    top = "\U0010ffff"
    create("strings", "s STRING")
    insert("strings", "cast(null as string)")
    for text in ["z"*31, "z"*32, "z"*33, "é"*32, "é"*33, "z"*31+"😀", "z"*31+"😀a", "z"*32+"😀", "z"*32+"é", "z"*32+"\x7f",
                 "z"*32+"\x7e", "😀"*16, "😀"*17, "😀"*33, "z"*32+top+"q", "z"*32+top*3+"é", "z"*32+top*16, "z"*32+top*17, "z"*32+top*40,
                 "z"*70, top*40, "z"*31+top+"zz", "é"*31+"😀😀", "\"\\\n\t\u2028</x>\x01"]:
        insert("strings", f"decode(unhex('{text.encode().hex()}'),'utf-8')")
    create("doubles", "d DOUBLE, f FLOAT")
    for text in ["0.0", "-0.0", "100.0", "1e7", "9999999.0", "1.2345678E7", "1.0E-3", "9.99E-4", "1e300", "1e-300", "NaN", "Infinity",
                 "-Infinity", "0.1", "3.3333333", "16777216", "1e22"]:
        insert("doubles", f"cast('{text}' as double), cast('{text}' as float)")
    create("decimals", "a DECIMAL(38,10), b DECIMAL(10,8), c DECIMAL(12,2)")
    for text in ["0", "0.0000000001", "-0.00000001", "0.000001", "0.0000001", "1.5", "1234567890"]:
        insert("decimals", f"cast('{text}' as decimal(38,10)), try_cast('{text}' as decimal(10,8)), cast('{text}' as decimal(12,2))")
    one = "range(0,2,1,1)"
    ctas("indexed2", f"SELECT id, struct(id as x, struct(id as y) as z) st, id b, id c FROM {one}", "'delta.dataSkippingNumIndexedCols'='2'")
    ctas("indexed4", f"SELECT id a, struct(id as x, struct(id as y) as z) st, id b, id c FROM {one}", "'delta.dataSkippingNumIndexedCols'='4'")
    ctas("indexed0", f"SELECT id FROM {one}", "'delta.dataSkippingNumIndexedCols'='0'")
    ctas("indexedall", "SELECT " + ",".join(f"id c{i}" for i in range(40)) + f" FROM {one}", "'delta.dataSkippingNumIndexedCols'='-1'")
    ctas("indexed32", "SELECT " + ",".join(f"id c{i}" for i in range(40)) + f" FROM {one}")
    ctas("named", f"SELECT id, struct(id as x) st, id `b.c`, id C, 'x' s FROM {one}", "'delta.dataSkippingStatsColumns'='c,`b.c`,st.x'")
    ctas("nobounds", f"SELECT id > 0 t, X'00' b FROM {one}")
    ctas("empty", f"SELECT id FROM range(0)")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
    ctas("millis", "SELECT id, timestamp'1969-06-07 08:09:10.123' + make_interval(0,0,0,id) t FROM range(0,3,1,1)")
    create("partitioned", "id BIGINT, p STRING, d DATE", clause="PARTITIONED BY (p, d)")
    insert("partitioned", "1,'a b:0',date'2020-01-01'", "2,null,null", "3,'100%',date'2020-01-02'", "4,'',null", "5,'a b:0',date'2020-01-01'")


def typed():
    """Statistics that a checkpoint has in typed columns only; the commits have them as text."""
    sql(f"""CREATE TABLE {at('typedstats')} USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval'='3',
        'delta.checkpoint.writeStatsAsJson'='false', 'delta.checkpoint.writeStatsAsStruct'='true', 'delta.columnMapping.mode'='name',
        'delta.enableDeletionVectors'='true') AS SELECT *, 'a' p FROM {at('types')} LIMIT 0""")
    for text in ["1", "-45.5"]:
        sql(f"INSERT INTO {at('typedstats')} SELECT /*+ COALESCE(1) */ *, 'a' FROM {at('types')} WHERE d5 {'<' if text == '1' else '>='} {text}")
    sql(f"DELETE FROM {at('typedstats')} WHERE i = 3")


def strip(name):
    """Leaves what tests read."""
    folder = os.path.join(ROOT, name)
    for f in glob.glob(folder + "/**/*", recursive=True, include_hidden=True):
        in_log = "/_delta_log/" in f
        checksum = f.endswith(".crc")
        if os.path.isfile(f) and (checksum and not (in_log and name in KEEP_CHECKSUMS) or not in_log and name in LOG_ONLY):
            os.remove(f)
    for f in sorted(glob.glob(folder + "/**/", recursive=True), reverse=True):
        if not os.listdir(f):
            os.rmdir(f)


def expected(name):
    folder = os.path.join(ROOT, name)
    versions = {}
    logs = sorted(glob.glob(folder + "/_delta_log/*[0-9].json"))
    for log in logs if name in LOG_ONLY else logs[-1:]:
        version = int(os.path.basename(log)[:20])
        frame = spark.read.format("delta").option("versionAsOf", version).load(folder)
        versions[version] = sorted(f.split(f"/tables/{name}/")[1] for f in frame.inputFiles())
    return versions


shutil.rmtree(ROOT, ignore_errors=True)
logs()
features()
statistics()
typed()
said = {table: expected(table) for table in sorted(os.listdir(ROOT))}
spark.stop()
with open(os.path.join(ROOT, "..", "expected.json"), "w") as f:
    json.dump(said, f, indent=1, sort_keys=True, ensure_ascii=False)
    f.write("\n")
for table in sorted(os.listdir(ROOT)):
    strip(table)
