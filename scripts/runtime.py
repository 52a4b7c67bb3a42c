"""Makes the tables and event logs of testdata/spark40-runtime: joins with a filtered table that may
let Spark leave files unread at run time.

  JARS=folder runtime.py OUT delta|iceberg

sales is partitioned by day, flat has the same rows in files by day, days names the quarter of
each day. The queries say in their descriptions what the join does.
"""
import sys

from workload import session

TABLES = {
    'sales': 'partitioned by (day)',
    'flat': '',
    'days': '',
}

ROWS = {
    'sales': 'select day, id v from (select explode(sequence(0, 11)) day), (select explode(sequence(1, 50)) id)',
    'flat': 'select day, id v from (select explode(sequence(0, 11)) day), (select explode(sequence(1, 50)) id)',
    'days': 'select day, day div 3 quarter from (select explode(sequence(0, 11)) day)',
}

QUERIES = {
    'R01 partition, broadcast': 'select sum(v) from sales join days on sales.day = days.day where quarter = 2',
    'R02 clustered, broadcast': 'select sum(v) from flat join days on flat.day = days.day where quarter = 2',
    'R03 partition, sort-merge': 'select /*+ merge(days) */ sum(v) from sales join days on sales.day = days.day where quarter = 2',
    'R04 partition, kept whole': 'select sum(v) from sales left join (select * from days where quarter = 2) days on sales.day = days.day',
    'R05 partition, semi-join': 'select sum(v) from sales where day in (select day from days where quarter >= 2)',
    'R06 partition, literal': 'select sum(v) from sales where day = 5',
    'R07 partition, unfiltered': 'select sum(v) from sales join days on sales.day = days.day',
    'R08 partition, two scans': 'select sum(a.v) from sales a join days on a.day = days.day, sales b where quarter = 2 and a.v = b.v',
}


def main():
    out, table_format = sys.argv[1:]
    spark = session(out, table_format, {'spark.sql.autoBroadcastJoinThreshold': '10MB', 'spark.sql.shuffle.partitions': '2'})
    catalog = 'lake.' if table_format == 'iceberg' else ''
    spark.sql(f'create database if not exists {catalog}runtime')
    spark.sql(f'use {catalog}runtime')
    for name, partitioned in TABLES.items():
        spark.sparkContext.setJobDescription(f'make {name}')
        rows = spark.sql(ROWS[name]).repartitionByRange(1 if name == 'days' else 12, 'day')
        rows.createOrReplaceTempView('made')
        spark.sql(f'create table {name} using {table_format} {partitioned} as select * from made')
    for description, text in QUERIES.items():
        spark.sparkContext.setJobDescription(description)
        spark.sql(text).collect()
    spark.stop()


main()
