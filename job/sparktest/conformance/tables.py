"""Makes tables of every feature and type that Spark with Delta writes, in one session.

    python tables.py CONF FOLDER WHICH

CONF is a JSON object of Spark settings. Each table becomes FOLDER/NAME; at the end FOLDER/tables.json
says of each: the keys to rewrite it by, what it must be refused for (empty: it must not be), which
further questions to ask. WHICH is SEED/COUNT for so many tables drawn by the seed, 0/0 for all, or
names with commas between them.
"""
import glob
import json
import os
import random
import sys

from pyspark.sql import SparkSession, functions

CONF = json.loads(sys.argv[1])
ROOT = os.path.abspath(sys.argv[2])
WHICH = sys.argv[3]

spark = None
MADE = []
KNOWN = []


def table(keys, refused="", since=(3, 5), until=(9, 9), ask=(), **conf):
    """Registers a table; since and until are versions of Spark, conf holds for its making."""

    def register(make):
        KNOWN.append((make.__name__, make, keys, refused, since, until, list(ask), conf))
        return make

    return register


def sql(text):
    return spark.sql(text)


def at(name):
    return f"delta.`{ROOT}/{name}`"


def create(name, columns, properties="", clause=""):
    properties = f"TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {at(name)} ({columns}) USING delta {clause} {properties}")


def ctas(name, select, properties="", clause=""):
    properties = f"TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {at(name)} USING delta {clause} {properties} AS {select}")


def insert(name, *rows):
    """Rows, each a list of expressions, that land in one file."""
    union = " UNION ALL ".join(f"SELECT {r}" for r in rows)
    sql(f"INSERT INTO {at(name)} SELECT /*+ COALESCE(1) */ * FROM ({union})")


ROWS = "id, cast(id * 7919 % 1000 as int) k, concat('name ', id * 31 % 97) name, cast(id * 13 % 50 as double) / 4 price"


def rows(start, count, columns=ROWS):
    return f"SELECT {columns} FROM range({start}, {start + count}, 1, 1)"


def some(name, properties="", clause="", columns=ROWS, files=3):
    """A table of a few files whose values of k overlap."""
    ctas(name, rows(0, 200, columns), properties, clause)
    for i in range(1, files):
        sql(f"INSERT INTO {at(name)} {rows(i * 1000, 150, columns)}")


# Types


@table(["k"])
def plain():
    some("plain")


@table(["i", "d"])
def numbers():
    create("numbers", "b BYTE, s SHORT, i INT, l BIGINT, f FLOAT, d DOUBLE")
    special = ["'NaN'", "'Infinity'", "'-Infinity'", "'0.0'", "'-0.0'", "'1.5'", "'-1e-45'", "'3.4028235e38'", "null"]
    for part in (special[:4], special[4:]):
        insert("numbers", *(f"cast(1 as byte), cast(2 as short), {i}, {i}L, cast({f} as float), cast({f} as double)" for i, f in enumerate(part)))
    insert("numbers", "-128Y, -32768S, -2147483648, -9223372036854775807L - 1, cast('1.4e-45' as float), 4.9e-324D",
           "127Y, 32767S, 2147483647, 9223372036854775807L, cast('-3.4028235e38' as float), 1.7976931348623157e308D",
           "null, null, null, null, null, null")


@table(["d9", "d18"])
def decimals():
    shapes = [(1, 0), (9, 4), (10, 0), (18, 18), (19, 0), (38, 0), (38, 18), (38, 38)]
    create("decimals", ", ".join(f"d{p}{'' if s in (0, 4, 18) and p < 19 else '_' + str(s)} DECIMAL({p},{s})" for p, s in shapes))
    nines = lambda p, s, sign: f"cast('{sign}{'9' * (p - s) or '0'}{'.' + '9' * s if s else ''}' as decimal({p},{s}))"
    for sign in ("", "-"):
        insert("decimals", ", ".join(nines(p, s, sign) for p, s in shapes), ", ".join(f"cast({sign}0 as decimal({p},{s}))" for p, s in shapes))
    insert("decimals", ", ".join("null" for _ in shapes), ", ".join(f"cast('0.{'0' * max(s - 1, 0)}1' as decimal({p},{s}))" for p, s in shapes))


@table(["s"])
def texts():
    create("texts", "id INT, s STRING, v VARCHAR(60), c CHAR(5)")
    values = ["''", "null", "'a'", "repeat('z', 40)", "repeat('é', 40)", "decode(unhex('F09F9880'), 'UTF-8')",
              "'tab\\tnewline\\nquote\"backslash\\\\'", "decode(unhex('EFBFBF'), 'UTF-8')", "decode(unhex('00'), 'UTF-8')", "'NULL'", "' leading'", "'مرحبا'",
              "decode(unhex('CC81'), 'UTF-8')", "repeat(decode(unhex('F48FBFBF'), 'UTF-8'), 40)"]
    for at_once in (values[:5], values[5:10], values[10:]):
        insert("texts", *(f"{i}, {v}, substr({v}, 1, 60), 'c{i}'" for i, v in enumerate(at_once)))


@table(["id"])
def binaries():
    create("binaries", "id INT, b BINARY")
    insert("binaries", "1, X''", "2, null", "3, X'00'", "4, X'FF00FF'")
    insert("binaries", "5, unhex(repeat('AB', 300))", "6, cast('text' as binary)")


@table(["d"])
def dates():
    create("dates", "id INT, flag BOOLEAN, d DATE")
    texts = ["0001-01-01", "1582-10-04", "1582-10-15", "1899-12-31", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"]
    for odd in (0, 1):
        insert("dates", *(f"{i}, {i} % 3 = 0, date'{d}'" for i, d in enumerate(texts) if i % 2 == odd), "99, null, null")


def moments(name, kind):
    create(name, f"id INT, t {kind}")
    texts = ["0001-01-01 00:00:00", "1582-10-10 12:00:00.000001", "1883-11-18 00:00:00.123456", "1899-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999",
             "1970-01-01 00:00:00", "2020-06-07 08:09:10.123456", "2262-04-12 00:00:00", "9999-12-31 23:59:59.999999"]
    for third in (0, 1, 2):
        insert(name, *(f"{i}, {kind}'{t}'" for i, t in enumerate(texts) if i % 3 == third), "99, null")


@table(["t"], ask=["int96"])
def int96():
    moments("int96", "timestamp")


@table(["t"], **{"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"})
def micros():
    moments("micros", "timestamp")


@table(["t"], **{"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"})
def millis():
    create("millis", "id INT, t TIMESTAMP")
    for day in (7, 8, 9):
        insert("millis", f"{day}, timestamp'1890-06-0{day} 08:09:10.123'", "0, null", f"1, timestamp'2020-06-0{day} 08:09:10.123'")


@table(["t"])
def localtimes():
    moments("localtimes", "timestamp_ntz")


@table(["t"], ask=["int96"], **{"spark.sql.session.timeZone": "America/St_Johns"})
def newfoundland():
    moments("newfoundland", "timestamp")


@table(["id"])
def structs():
    some("structs", columns="id, named_struct('x', id % 7, 'y', named_struct('z', concat('deep ', id % 5), 'n', if(id % 3 = 0, null, id))) s,"
         " if(id % 4 = 0, null, named_struct('a', cast(id as string))) maybe")


@table(["id"])
def arrays():
    some("arrays", columns="id, if(id % 5 = 0, null, if(id % 5 = 1, array(), array(id, null, id + 1))) a, array(array(id), null, array()) nested,"
         " transform(sequence(0, id % 3), i -> named_struct('i', i, 's', if(i = 1, null, concat('v', i)))) structs")


@table(["id"], ask=["maps"])
def maps():
    some("maps", columns="id, if(id % 5 = 0, null, if(id % 5 = 1, cast(map() as map<string,bigint>), map('one', id, concat('k', id), null))) m,"
         " map(id, named_struct('a', array(id, null), 'b', map('x', cast(id as decimal(10,2))))) deep")


@table(["id"], ask=["maps"])
def deepest():
    some("deepest", columns="id, array(map(cast(id as string), array(named_struct('m', map(date'2020-01-01', array(cast(null as double), 1.5D)), 't', timestamp'1890-01-01 00:00:00')))) d")


@table(["k"])
def nulls():
    some("nulls", columns="id, cast(null as int) k, cast(null as string) s, cast(null as array<int>) a, if(id < 100, null, id) half")


@table(["c0", "c40"])
def wide():
    some("wide", columns=", ".join(f"id * {i + 1} % 101 c{i}" for i in range(60)))


@table(["a.b"])
def names():
    some("names", columns="id `a.b`, id + 1 `ünï`, id + 2 `Ke-y`, id + 3 `select`, id + 4 `#1`, id + 5 `%20`, id + 6 `x/y`, id + 7 `Å`")


# Statistics


@table(["k"])
def nostats():
    some("nostats", "'delta.dataSkippingNumIndexedCols'='0'")


@table(["k"])
def fewstats():
    some("fewstats", "'delta.dataSkippingNumIndexedCols'='2'")


@table(["k"], since=(4, 0))
def namedstats():
    some("namedstats", "'delta.dataSkippingStatsColumns'='k,price'")


@table(["id"])
def nestedstats():
    some("nestedstats", columns="named_struct('a', id, 'b', named_struct('c', cast(id as string), 'd', date'2020-01-01')) s, id")


# Schemas that changed


@table(["k"])
def added():
    some("added")
    sql(f"ALTER TABLE {at('added')} ADD COLUMNS (later INT, deep STRUCT<a: INT, b: STRING>)")
    columns = ROWS + ", cast(id % 5 as int), named_struct('a', cast(id as int), 'b', 'x')"
    sql(f"INSERT INTO {at('added')} {rows(5000, 50, columns)}")


@table(["id"])
def grown():
    """A struct that got another field."""
    some("grown", columns="id, named_struct('x', id) s, array(named_struct('x', id)) a")
    sql(f"ALTER TABLE {at('grown')} ADD COLUMNS (s.y STRING FIRST, a.element.y STRING)")
    sql(f"INSERT INTO {at('grown')} SELECT id, named_struct('y', 'new', 'x', id), array(named_struct('x', id, 'y', 'new')) FROM range(9000, 9040, 1, 1)")


@table(["k"])
def reordered():
    some("reordered")
    sql(f"ALTER TABLE {at('reordered')} ALTER COLUMN price FIRST")
    sql(f"ALTER TABLE {at('reordered')} ALTER COLUMN name AFTER price")


MAPPED = "'delta.columnMapping.mode'='name'"


@table(["key"], ask=["mapped"])
def renamed():
    some("renamed", MAPPED)
    sql(f"ALTER TABLE {at('renamed')} RENAME COLUMN k TO key")
    sql(f"INSERT INTO {at('renamed')} {rows(7000, 60)}")


@table(["id"], ask=["mapped"])
def readded():
    some("readded", MAPPED)
    sql(f"ALTER TABLE {at('readded')} DROP COLUMN k")
    sql(f"ALTER TABLE {at('readded')} ADD COLUMNS (k STRING)")
    sql(f"INSERT INTO {at('readded')} SELECT id, 'n', 1.5D, 'text' FROM range(7000, 7060, 1, 1)")


@table(["k"], ask=["mapped"])
def mapped():
    some("mapped", "'delta.columnMapping.mode'='id'")


@table(["id"], ask=["mapped", "maps"])
def mappeddeep():
    some("mappeddeep", MAPPED, columns="id, named_struct('x', id, 'y', named_struct('z', concat('n', id))) s,"
         " array(named_struct('e', id)) a, map('k', named_struct('v', id)) m")
    sql(f"ALTER TABLE {at('mappeddeep')} RENAME COLUMN s.y TO why")
    sql(f"ALTER TABLE {at('mappeddeep')} RENAME COLUMN a.element.e TO f")
    sql(f"ALTER TABLE {at('mappeddeep')} RENAME COLUMN m.value.v TO w")
    sql(f"ALTER TABLE {at('mappeddeep')} ADD COLUMNS (s.late INT)")
    sql(f"INSERT INTO {at('mappeddeep')} SELECT id, named_struct('x', id, 'why', named_struct('z', 'n'), 'late', 3), array(named_struct('f', id)), map('k', named_struct('w', id)) FROM range(9000, 9040, 1, 1)")


@table(["k"], ask=["mapped"])
def upgraded():
    """Mapped since its first files were written."""
    some("upgraded")
    sql(f"ALTER TABLE {at('upgraded')} SET TBLPROPERTIES ('delta.columnMapping.mode'='name','delta.minReaderVersion'='2','delta.minWriterVersion'='5')")
    sql(f"ALTER TABLE {at('upgraded')} RENAME COLUMN name TO title")
    sql(f"INSERT INTO {at('upgraded')} {rows(7000, 60)}")


@table(["a b,c"], ask=["mapped"])
def oddnames():
    some("oddnames", MAPPED, columns="id, id % 10 `a b,c`, id % 7 `=;{}()`, id `tab\tx`")


# Partitions

ODD = ["''", "null", "'a b'", "'a/b'", "'a%b'", "'100%25'", "'k=v'", "'ünï'", "'a:b'", "'#?&'", "'__HIVE_DEFAULT_PARTITION__x'", "'{x}[y]'", "'*\"\\\\'", "' '", "'..'"]


@table(["id"], ask=["partitions"])
def partitioned():
    create("partitioned", "id BIGINT, p STRING", clause="PARTITIONED BY (p)")
    for start in (0, 100):
        insert("partitioned", *(f"{start + i * 3 + j}L, {p}" for i, p in enumerate(ODD) for j in range(3)))


@table(["id"], ask=["partitions"])
def partitiontypes():
    columns = "b BYTE, i INT, l BIGINT, dc DECIMAL(20,3), d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, f FLOAT, flag BOOLEAN"
    create("partitiontypes", "id BIGINT, " + columns, clause="PARTITIONED BY (b, i, l, dc, d, t, n, f, flag)")
    values = "cast({0} as byte), {0}, {0}L, cast({0}.125 as decimal(20,3)), date'1890-01-0{0}', timestamp'1890-01-0{0} 01:02:03.004', timestamp_ntz'2020-01-0{0} 01:02:03', cast({0}.5 as float), {0} = 1"
    for start in (0, 100):
        insert("partitiontypes", *(f"{start + i}L, {values.format(1 + i % 2)}" for i in range(10)), "77L" + ", null" * 9)


@table(["k"], ask=["partitions"])
def partitionlevels():
    some("partitionlevels", columns="id, cast(id % 3 as int) p, date_add(date'2024-01-01', cast(id % 2 as int)) d, cast(id % 17 as int) k", clause="PARTITIONED BY (d, p)")


@table(["id"], ask=["partitions", "mapped"])
def partitionmapped():
    some("partitionmapped", MAPPED, "PARTITIONED BY (p)", "id, concat('p ', id % 2) p, id % 9 k")
    sql(f"ALTER TABLE {at('partitionmapped')} RENAME COLUMN p TO part")
    columns = "id, concat('p ', id % 2), id % 9"
    sql(f"INSERT INTO {at('partitionmapped')} {rows(9000, 40, columns)}")


# Deletion vectors

VECTORS = "'delta.enableDeletionVectors'='true'"


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


@table(["id"])
def vectorsnever():
    some("vectorsnever", VECTORS)


@table(["id"], ask=["vectors"])
def vectorsbig():
    ctas("vectorsbig", "SELECT id, id % 100 k FROM range(0, 200000, 1, 1)", VECTORS)
    sql(f"DELETE FROM {at('vectorsbig')} WHERE id BETWEEN 70000 AND 140000 OR id % 1000 = 3")


# Clustering


@table(["k"], ask=["clustered"])
def clustered():
    some("clustered", clause="CLUSTER BY (k)")


@table(["k", "name"], ask=["clustered"])
def clusteredtwo():
    some("clusteredtwo", clause="CLUSTER BY (k, name)")
    sql(f"OPTIMIZE {at('clusteredtwo')}")
    sql(f"INSERT INTO {at('clusteredtwo')} {rows(7000, 60)}")


@table(["id"], since=(4, 0), ask=["clustered"])
def clusteredlater():
    some("clusteredlater")
    sql(f"ALTER TABLE {at('clusteredlater')} CLUSTER BY (id)")


@table(["k"], ask=["clustered", "mapped", "vectors"])
def clusteredmapped():
    some("clusteredmapped", MAPPED + "," + VECTORS, "CLUSTER BY (k)")
    sql(f"DELETE FROM {at('clusteredmapped')} WHERE id % 7 = 0")


@table(["k"])
def clusterednone():
    some("clusterednone", clause="CLUSTER BY (k)")
    sql(f"ALTER TABLE {at('clusterednone')} CLUSTER BY NONE")


@table(["name"])
def clusteredother():
    """Rewritten by other keys than it declares."""
    some("clusteredother", clause="CLUSTER BY (k)")


@table(["k", "price"])
def zordered():
    some("zordered")
    sql(f"OPTIMIZE {at('zordered')} ZORDER BY (k)")


# Row tracking

TRACKED = "'delta.enableRowTracking'='true'"


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


@table(["k"])
def trackable():
    some("trackable", "'delta.feature.rowTracking'='supported'")


# Other features


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
        spark.range(start, start + 100, 1, 1).select(checked).write.format("delta").mode("append").save(f"{ROOT}/invariant")


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
    api = spark._jvm.io.delta.tables.DeltaTable
    return api.create(spark._jsparkSession).location(f"{ROOT}/{name}"), lambda column: api.columnBuilder(spark._jsparkSession, column).dataType("BIGINT")


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


@table(["x"])
def defaults():
    create("defaults", "id BIGINT, x INT DEFAULT 7", "'delta.feature.allowColumnDefaults'='supported'")
    sql(f"INSERT INTO {at('defaults')} (id) {rows(0, 80, 'id')}")
    sql(f"INSERT INTO {at('defaults')} {rows(500, 80, 'id, cast(id % 9 as int)')}")


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
        frame = spark.sql(rows(batch * 500, 80))
        frame.write.format("delta").mode("append").option("txnAppId", "stream").option("txnVersion", batch).save(f"{ROOT}/streamed")


# Logs


def busy(name, properties):
    some(name, properties, files=8)
    sql(f"DELETE FROM {at(name)} WHERE id % 7 = 0")


def forget(name, versions):
    """Takes old commits away, as the clean-up of a log does."""
    for v in range(versions):
        os.remove(f"{ROOT}/{name}/_delta_log/{v:020}.json")


@table(["k"])
def checkpointed():
    busy("checkpointed", "'delta.checkpointInterval'='4'")


@table(["k"], ask=["checkpoint"])
def due():
    """The commit of the rewrite is one that gets a checkpoint."""
    busy("due", "'delta.checkpointInterval'='1'")


@table(["k"])
def forgotten():
    busy("forgotten", "'delta.checkpointInterval'='4'")
    forget("forgotten", 4)


@table(["k"], **{"spark.databricks.delta.checkpoint.partSize": "3"})
def multipart():
    busy("multipart", "'delta.checkpointInterval'='4'")
    forget("multipart", 4)


@table(["k"])
def v2json():
    busy("v2json", "'delta.checkpointPolicy'='v2','delta.checkpointInterval'='4'")
    forget("v2json", 4)


@table(["k"], **{"spark.databricks.delta.checkpointV2.topLevelFileFormat": "parquet"})
def v2parquet():
    busy("v2parquet", "'delta.checkpointPolicy'='v2','delta.checkpointInterval'='4'")
    forget("v2parquet", 4)


@table(["k"])
def structstats():
    busy("structstats", "'delta.checkpoint.writeStatsAsJson'='false','delta.checkpoint.writeStatsAsStruct'='true','delta.checkpointInterval'='4'")
    forget("structstats", 4)


def identity_of(kind, action):
    """What an action of a log decides, so that the last one counts."""
    if kind in ("add", "remove"):
        vector = action.get("deletionVector") or {}
        return "file", action["path"], vector.get("pathOrInlineDv"), vector.get("offset")
    return kind, action.get("appId"), action.get("domain")


@table(["k"])
def compacted():
    """Commits that one file stands for, which Spark reads and does not write."""
    busy("compacted", "")
    log, first, last = f"{ROOT}/compacted/_delta_log", 1, 5
    latest = {}
    for v in range(first, last + 1):
        with open(f"{log}/{v:020}.json") as f:
            for line in f:
                (kind, action), = json.loads(line).items()
                if kind != "commitInfo":
                    latest[identity_of(kind, action)] = line
    with open(f"{log}/{first:020}.{last:020}.compacted.json", "w") as f:
        f.writelines(latest.values())


@table(["k"])
def lied():
    busy("lied", "'delta.checkpointInterval'='4'")
    with open(f"{ROOT}/lied/_delta_log/_last_checkpoint", "w") as f:
        f.write('{"version":77,"size":1}')
    for checksum in glob.glob(f"{ROOT}/lied/_delta_log/._last_checkpoint.crc"):
        os.remove(checksum)


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
    sql(f"RESTORE TABLE {at('restored')} TO VERSION AS OF 2")


@table(["k"])
def converted():
    spark.sql(rows(0, 200)).write.parquet(f"{ROOT}/converted")
    sql(f"CONVERT TO DELTA parquet.`{ROOT}/converted`")


@table(["k"], ask=["partitions"])
def convertedparts():
    spark.sql(rows(0, 200, "id, id % 9 k, concat('p ', id % 2) p")).write.partitionBy("p").parquet(f"{ROOT}/convertedparts")
    sql(f"CONVERT TO DELTA parquet.`{ROOT}/convertedparts` PARTITIONED BY (p STRING)")


@table(["k"])
def vacuumed():
    some("vacuumed")
    sql(f"OPTIMIZE {at('vacuumed')}")
    sql(f"INSERT INTO {at('vacuumed')} {rows(7000, 60)}")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
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
    settings = spark._jsc.hadoopConfiguration()
    settings.set("parquet.writer.version", "v2")
    some("pagesv2", columns=ROWS + ", if(id % 3 = 0, null, concat('n', id)) maybe, array(id, id + 1) a")
    settings.unset("parquet.writer.version")


@table(["k"])
def smallpages():
    settings = spark._jsc.hadoopConfiguration()
    settings.set("parquet.page.size", "512")
    settings.set("parquet.block.size", "16384")
    ctas("smallpages", "SELECT id, cast(id * 7919 % 1000 as int) k, concat('name ', id) name, if(id % 3 = 0, null, id) maybe FROM range(0, 20000, 1, 1)")
    settings.unset("parquet.page.size")
    settings.unset("parquet.block.size")


# What must be refused, by name


@table(["id"], refused="typeWidening", since=(4, 0))
def widened():
    ctas("widened", "SELECT cast(id as int) id FROM range(0, 50, 1, 1)", "'delta.enableTypeWidening'='true'")
    sql(f"ALTER TABLE {at('widened')} ALTER COLUMN id TYPE BIGINT")


@table(["id"], refused="variant", since=(4, 0))
def variant():
    ctas("variant", "SELECT id, parse_json('{\"a\": 1}') v FROM range(0, 50, 1, 1)")


@table(["id"], refused="void")
def voided():
    ctas("voided", "SELECT id, null v FROM range(0, 50, 1, 1)")


@table(["id"], refused="symlinkFormatManifest")
def symlinked():
    ctas("symlinked", "SELECT id FROM range(0, 50, 1, 1)", "'delta.compatibility.symlinkFormatManifest.enabled'='true'")


@table(["id"], refused="absolute")
def cloned():
    ctas("cloning", "SELECT id FROM range(0, 50, 1, 1)")
    sql(f"CREATE TABLE {at('cloned')} SHALLOW CLONE {at('cloning')}")


def doctored(name, change):
    """A table whose log claims a feature that this Spark would not switch on."""
    ctas(name, "SELECT id FROM range(0, 50, 1, 1)", "'delta.feature.vacuumProtocolCheck'='supported'")
    path = f"{ROOT}/{name}/_delta_log/{0:020}.json"
    with open(path) as f:
        lines = [json.loads(line) for line in f]
    for line in lines:
        change(line)
    with open(path, "w") as f:
        f.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def claims(*features):
    def change(line):
        for kind in ("readerFeatures", "writerFeatures"):
            if "protocol" in line:
                line["protocol"][kind] += features

    return change


@table(["id"], refused="catalogManaged")
def catalogmanaged():
    doctored("catalogmanaged", claims("catalogManaged"))


@table(["id"], refused="icebergCompatV2")
def iceberg():
    doctored("iceberg", claims("icebergCompatV2"))


@table(["id"], refused="collations")
def collated():
    doctored("collated", claims("collations-preview"))


@table(["id"], refused="reader version 4")
def future():
    def change(line):
        if "protocol" in line:
            line["protocol"].update(minReaderVersion=4, minWriterVersion=8)

    doctored("future", change)


def chosen(version):
    """The tables that this Spark can make and that were asked for."""
    known = [entry for entry in KNOWN if entry[4] <= version <= entry[5]]
    if "/" not in WHICH:
        return [entry for entry in known if entry[0] in WHICH.split(",")]
    seed, count = map(int, WHICH.split("/"))
    if not count:
        return known
    drawn = random.Random(seed).sample(range(len(known)), count)
    return [known[i] for i in sorted(drawn)]


def main():
    global spark
    builder = SparkSession.builder.master("local[2]").appName("ajlo-conformance")
    for key, value in CONF.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    version = tuple(int(part) for part in spark.version.split(".")[:2])
    failed = []
    for name, make, keys, refused, _, _, ask, conf in chosen(version):
        before = {key: spark.conf.get(key, None) for key in conf}
        for key, value in conf.items():
            spark.conf.set(key, value)
        try:
            make()
            MADE.append({"name": name, "keys": keys, "refused": refused, "ask": ask})
        except Exception as error:  # all that cannot be made are told at once
            failed.append(f"{name}: {str(error)[:600]}")
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)
    with open(f"{ROOT}/tables.json", "w") as f:
        json.dump(MADE, f)
    spark.stop()
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
