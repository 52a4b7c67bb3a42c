"""Makes the small Delta tables of this folder with real Spark: every type the rewrite
handles, in files as Spark writes them.

    python make.py OUT_DIR      (pyspark 4.0.2 with delta-spark 4.0.1 jars in ~/.m2)
"""
import sys
from pathlib import Path
from pyspark.sql import SparkSession

out = Path(sys.argv[1]).absolute()
m2 = Path.home() / ".m2/repository/io/delta"
jars = f"{m2}/delta-spark_2.13/4.0.1/delta-spark_2.13-4.0.1.jar,{m2}/delta-storage/4.0.1/delta-storage-4.0.1.jar"
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars", jars)
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")


def write(name, query, mode="append", **options):
    spark.sql(query).coalesce(1).write.format("delta").mode(mode).options(**options).save(str(out / name))


TYPES = """
SELECT
  id,
  CAST(CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN -128 WHEN 2 THEN 127 ELSE id % 100 END AS TINYINT) AS a_byte,
  CAST(CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN -32768 WHEN 2 THEN 32767 ELSE id END AS SMALLINT) AS a_short,
  CAST(CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN -2147483648 WHEN 2 THEN 2147483647 ELSE id END AS INT) AS an_int,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN -9223372036854775808 WHEN 2 THEN 9223372036854775807 ELSE id END AS a_long,
  CASE id % 6 WHEN 0 THEN NULL WHEN 1 THEN FLOAT('NaN') WHEN 2 THEN FLOAT('-0.0') WHEN 3 THEN FLOAT('-Infinity') WHEN 4 THEN FLOAT('0.0') ELSE CAST(id / 3 AS FLOAT) END AS a_float,
  CASE id % 6 WHEN 0 THEN NULL WHEN 1 THEN DOUBLE('NaN') WHEN 2 THEN DOUBLE('-0.0') WHEN 3 THEN DOUBLE('Infinity') WHEN 4 THEN DOUBLE('0.0') ELSE CAST(id AS DOUBLE) / 3 END AS a_double,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST('-999.99' AS DECIMAL(5,2)) ELSE CAST(id / 7 AS DECIMAL(5,2)) END AS dec_5_2,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST('-9999999999999.99' AS DECIMAL(15,2)) ELSE CAST(id / 7 AS DECIMAL(15,2)) END AS dec_15_2,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST('999999999999999999' AS DECIMAL(18,0)) ELSE CAST(id AS DECIMAL(18,0)) END AS dec_18_0,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST('-9999999999999999999999999999.9999999999' AS DECIMAL(38,10)) ELSE CAST(id / 7 AS DECIMAL(38,10)) END AS dec_38_10,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST('99999999999999999999999999999999999999' AS DECIMAL(38,0)) ELSE CAST(id AS DECIMAL(38,0)) END AS dec_38_0,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN repeat('long text, longer than thirty-two characters ', 3) WHEN 3 THEN 'größe 日本 🦀' ELSE concat('s', id) END AS a_string,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN X'' WHEN 2 THEN X'00FF80' ELSE encode(concat('b', id), 'UTF-8') END AS a_binary,
  CASE id % 3 WHEN 0 THEN NULL WHEN 1 THEN true ELSE false END AS a_boolean,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN DATE'0001-01-01' WHEN 2 THEN DATE'9999-12-31' ELSE date_add(DATE'1999-12-25', CAST(id AS INT)) END AS a_date,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN TIMESTAMP'0001-01-01 00:00:00' WHEN 2 THEN TIMESTAMP'9999-12-31 23:59:59.999999' WHEN 3 THEN TIMESTAMP'1969-12-31 23:59:59.999999' ELSE TIMESTAMP'2026-11-29 10:11:12.131415' + make_dt_interval(CAST(id AS INT)) END AS a_timestamp,
  CASE id % 4 WHEN 0 THEN NULL ELSE named_struct('x', CAST(id AS INT), 'y', IF(id % 3 = 0, NULL, concat('y', id)), 'deep', IF(id % 5 = 0, NULL, named_struct('t', IF(id % 7 = 0, NULL, TIMESTAMP'0100-02-03 04:05:06.000007'), 'd', CAST(id AS DECIMAL(20,3))))) END AS a_struct,
  CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST(array() AS ARRAY<INT>) ELSE array(CAST(id AS INT), NULL, 7) END AS ints,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN CAST(array() AS ARRAY<TIMESTAMP>) ELSE array(TIMESTAMP'9999-01-01 00:00:00', NULL, TIMESTAMP'1970-01-01 00:00:00.000001') END AS times,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN map() ELSE map(concat('k', id), CAST(id AS BIGINT), 'null', NULL) END AS a_map,
  CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN array(NULL) ELSE array(named_struct('n', id, 'tags', map('t', array('u', NULL, '')), 'none', CAST(NULL AS STRING)), NULL) END AS nested,
  CASE id % 3 WHEN 0 THEN NULL ELSE map(CAST(id AS INT), array(array(1.5D, NULL), NULL, array())) END AS map_of_lists,
  CAST(NULL AS STRING) AS nothing
FROM range({0}, {1}, 1, 1)
"""

write("types", TYPES.format(0, 700))
write("types", TYPES.format(700, 1000))

write("ntz", "SELECT id, CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN TIMESTAMP_NTZ'0001-01-01 00:00:00' WHEN 2 THEN TIMESTAMP_NTZ'9999-12-31 23:59:59.999999' ELSE TIMESTAMP_NTZ'2026-11-29 10:11:12.131415' END AS local, array(TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', NULL) AS locals FROM range(0, 100, 1, 1)")

write("evolved", "SELECT id, concat('first', id) AS name, named_struct('a', id) AS s FROM range(0, 50, 1, 1)")
write("evolved", "SELECT CAST(id * 1.5 AS DOUBLE) AS price, named_struct('a', id, 'b', concat('b', id)) AS s, id, array(named_struct('p', id)) AS l FROM range(50, 100, 1, 1)", mergeSchema="true")
write("evolved", "SELECT array(named_struct('p', id, 'q', TIMESTAMP'2020-01-01 00:00:00'), NULL) AS l, map('k', named_struct('v', id)) AS m, concat('third', id) AS name, id FROM range(100, 150, 1, 1)", mergeSchema="true")
write("evolved", "SELECT id, map('k', named_struct('v', id, 'w', 1)) AS m, named_struct('a', id, 'b', 'x', 'c', array(id)) AS s FROM range(150, 200, 1, 1)", mergeSchema="true")
write("evolved", "SELECT id, name FROM delta.`" + str(out / "evolved") + "` WHERE id < 0")

spark.sql(f"CREATE TABLE delta.`{out}/strict` (id BIGINT NOT NULL, name STRING) USING delta TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')")
write("strict", "SELECT id, concat('n', id) AS name FROM range(0, 20, 1, 1)")

def features(name, columns, clause, **properties):
    settings = ", ".join(f"'{k.replace('__', '.')}' = '{v}'" for k, v in properties.items())
    spark.sql(f"CREATE TABLE delta.`{out}/{name}` ({columns}) USING delta {clause} TBLPROPERTIES ({settings})")


# Everything that moves with a row, in one table: partitions whose names are escaped, mapped
# and renamed columns, deleted rows, rows that carry the ids of other files.
features("moved", "id BIGINT, k INT, s STRUCT<a: INT, b: STRING>, p STRING, d DATE", "PARTITIONED BY (p, d)",
         delta__columnMapping__mode="name", delta__enableDeletionVectors="true", delta__enableRowTracking="true")
ROWS = """SELECT id, CAST(id % 7 AS INT) AS k, IF(id % 5 = 0, NULL, named_struct('a', CAST(id AS INT), 'b', IF(id % 3 = 0, NULL, concat('b', id)))) AS s,
  CASE id % 3 WHEN 0 THEN 'a b:0' WHEN 1 THEN '100%' END AS p, IF(id % 2 = 0, DATE'2020-01-01', NULL) AS d FROM range({0}, {1}, 1, 1)"""
write("moved", ROWS.format(0, 60))
spark.sql(f"ALTER TABLE delta.`{out}/moved` RENAME COLUMN k TO key")
spark.sql(f"ALTER TABLE delta.`{out}/moved` RENAME COLUMN s.b TO text")
spark.sql(f"DELETE FROM delta.`{out}/moved` WHERE id % 11 = 3")
spark.sql(f"UPDATE delta.`{out}/moved` SET key = -1 WHERE id % 13 = 5")
spark.sql(f"INSERT INTO delta.`{out}/moved` SELECT id, 1, named_struct('a', 1, 'text', 'new'), 'a b:0', DATE'2020-01-01' FROM range(60, 70, 1, 1)")

features("numbered", "id BIGINT, s STRUCT<a: INT, b: ARRAY<STRUCT<c: INT>>>", "", delta__columnMapping__mode="id")
write("numbered", "SELECT id, named_struct('a', CAST(id AS INT), 'b', array(named_struct('c', CAST(-id AS INT)))) AS s FROM range(0, 30, 1, 1)")
spark.sql(f"ALTER TABLE delta.`{out}/numbered` RENAME COLUMN s.a TO z")

features("liquid", "id BIGINT, day DATE, name STRING", "CLUSTER BY (day, id)", delta__enableDeletionVectors="false")
write("liquid", "SELECT id, date_add(DATE'2020-01-01', CAST(id % 50 AS INT)) AS day, concat('n', id) AS name FROM range(0, 500, 1, 1)")
write("liquid", "SELECT id, date_add(DATE'2020-01-01', CAST(id % 50 AS INT)) AS day, concat('n', id) AS name FROM range(500, 900, 1, 1)")
spark.stop()
