"""Steps of workload.py that show Spark's operators one by one: what a plan can do between a table and
a join, what a filter can say, what a write can be. None of them is fast or useful.
"""
import os
import shutil

WIDE = 60  # columns: more than Spark prints of a list


def make(spark, out, table_format):
    """Small tables of shapes that the workload's own do not have."""
    where = 'tpch' if table_format == 'delta' else 'lake.tpch'
    kind = 'delta' if table_format == 'delta' else 'iceberg'

    def table(name, rows):
        if not spark.catalog.tableExists(f'{where}.{name}'):
            there = os.path.isdir(f'{out}/warehouse/tpch.db/{name}')
            spark.sql(f'create table {where}.{name} using {kind} ' + (f"location '{out}/warehouse/tpch.db/{name}'" if there else f'as {rows}'))

    table('clicks', 'select o_orderkey k, timestampadd(hour, o_orderkey % 24, cast(o_orderdate as timestamp)) at, o_orderdate day, '
          'cast(timestampadd(minute, o_orderkey % 600, cast(o_orderdate as timestamp)) as timestamp_ntz) local, '
          'o_totalprice price, cast(o_totalprice as double) amount, o_orderstatus = "F" done, cast(o_comment as binary) raw, '
          'case when o_orderkey % 3 = 0 then null else o_orderpriority end note, '
          'named_struct("key", o_orderkey, "day", o_orderdate) inside from orders where o_orderdate > date"1998-06-01"')
    columns = ', '.join(f'o_orderkey + {i} as wide_{i:02}' for i in range(WIDE))
    table('wide', f'select {columns}, o_orderkey as last_key, o_comment as last_note from orders where o_orderdate > date"1998-06-01"')
    spark.sql('create database if not exists spark_catalog.side')
    side = 'spark_catalog.side'

    def other(name, definition, rows):
        if not spark.catalog.tableExists(f'{side}.{name}'):
            shutil.rmtree(f'{out}/warehouse/side.db/{name}', ignore_errors=True)
            spark.sql(f'create table {side}.{name} {definition} as {rows}')

    recent = 'orders where o_orderdate > date"1998-01-01"'
    other('odd', 'using parquet', 'select o_orderkey as `a b`, o_custkey as `p#1`, o_orderstatus as `key`, o_comment as `dotted.name`, '
          f'o_orderpriority as `straße` from {recent}')
    other('by_status', 'using parquet partitioned by (o_orderstatus)', f'select o_orderkey, o_custkey, o_orderstatus from {recent}')
    other('bucketed_a', 'using parquet clustered by (k) into 4 buckets', f'select o_custkey k, o_totalprice from {recent}')
    other('bucketed_b', 'using parquet clustered by (k) into 4 buckets', 'select c_custkey k, c_name from customer')
    other('as_orc', 'using orc', f'select o_orderkey, o_custkey, o_orderdate from {recent}')
    other('taken', 'using orc', 'select o_orderkey, o_custkey, o_orderdate from orders where false')
    other('as_csv', 'using csv', f'select o_orderkey, o_custkey from {recent}')
    other('as_json', 'using json', f'select o_orderkey, o_custkey from {recent}')


QUERIES = {
    'S01 window': 'select count(*) from (select o_custkey k, row_number() over (partition by o_custkey order by o_orderdate) r from orders) '
                  'join customer on k = c_custkey where r = 1',
    'S02 generate': "select count(*) from (select o_orderkey k, w from orders lateral view explode(split(o_comment, ' ')) t as w "
                    'where o_orderkey < 5000) join lineitem on k = l_orderkey where w > "q"',
    'S03 rollup': 'select count(*) from (select o_custkey k, o_orderstatus s, count(*) n from orders group by rollup(o_custkey, o_orderstatus)) '
                  'join customer on k = c_custkey',
    'S04 distincts': 'select sum(a), sum(b) from (select o_custkey k, count(distinct o_orderstatus) a, count(distinct o_orderpriority) b '
                     'from orders group by 1) join customer on k = c_custkey',
    'S05 exchange used twice': 'with t as (select o_custkey k, sum(o_totalprice) s from orders group by 1) '
                               'select count(*) from t a join t b on a.k = b.k and a.s > b.s - 1 join customer on c_custkey = a.k',
    'S06 null safe strings': 'select count(*) from clicks join orders on note <=> o_orderpriority and k <=> o_orderkey',
    'S07 intersect': 'select count(*) from (select o_custkey from orders intersect select c_custkey from customer)',
    'S08 except': 'select count(*) from (select c_custkey from customer except select o_custkey from orders)',
    'S09 scalar subquery': 'select count(*) from orders join customer on o_custkey = c_custkey '
                           'where o_totalprice > (select avg(o_totalprice) from orders)',
    'S10 correlated scalar': 'select count(*) from customer where c_acctbal > (select avg(o_totalprice) / 100 from orders where o_custkey = c_custkey)',
    'S11 exists or': "select count(*) from orders where o_orderstatus = 'P' or exists (select 1 from lineitem where l_orderkey = o_orderkey and l_quantity > 49)",
    'S12 not in': 'select count(*) from customer where c_custkey not in (select o_custkey from orders where o_orderkey < 100)',
    'S13 shuffle hash': 'select /*+ shuffle_hash(customer) */ count(*) from orders join customer on o_custkey = c_custkey',
    'S14 nested loop': 'select /*+ broadcast(n) */ count(*) from region r left join nation n on r.r_regionkey < n.n_regionkey',
    'S15 pivot': "select count(*) from (select * from (select o_custkey k, o_orderstatus s, o_totalprice p from orders) "
                 "pivot (sum(p) for s in ('F' as f, 'O' as o))) join customer on k = c_custkey",
    'S16 lateral': 'select count(*) from customer, lateral (select max(o_totalprice) m from orders where o_custkey = c_custkey) where m > 100000',
    'S17 narrowing cast': 'select count(*) from orders join lineitem on cast(o_orderkey as int) = cast(l_orderkey as int) where o_orderkey < 1000',
    'S18 key of two columns': "select count(*) from customer a join customer b on concat(a.c_name, a.c_phone) = concat(b.c_name, b.c_phone)",
    'S19 floats': 'select count(*) from clicks a join clicks b on a.amount = b.amount',
    'S20 struct key': 'select count(*) from clicks a join orders o on a.inside.key = o.o_orderkey and a.inside.day = o.o_orderdate',
    'S21 usings': 'select count(*) from (select o_custkey k from orders) full outer join (select c_custkey k from customer) using (k) '
                  'full outer join (select s_suppkey k from supplier) using (k)',
    'S22 distinct': 'select count(*) from (select distinct o_custkey k, o_orderstatus from orders) join customer on k = c_custkey',
    'S23 limit': 'select count(*) from (select o_orderkey k from orders order by o_totalprice desc limit 100) join lineitem on k = l_orderkey',
    'S24 sampled and moved': 'select count(*) from (select /*+ repartition(3) */ * from orders tablesample (50 percent) repeatable (1)) '
                             'join customer on o_custkey = c_custkey',
    'S25 odd names': 'select count(*) from spark_catalog.side.odd join lineitem on `a b` = l_orderkey where `p#1` > 10 and `dotted.name` > "a" and `straße` like "1%"',
    'S26 odd literals': "select count(*) from orders join customer on o_custkey = c_custkey where o_comment <> 'a, b#12 (c] AND d' "
                        "and o_clerk not in ('x\\'y', 'line\none', 'plain') and c_mktsegment in ('BUILDING', 'MED BOX, LARGE')",
    'S27 conditions': "select count(*) from clicks where note is not null and (k between 10 and 200000 or k = 7) and not (price > 100000.55) "
                      "and amount >= -1.5e3 and done and note like '1-%' and day in (date'1998-06-10', date'1998-07-01') and raw > X'61'",
    'S28 many values': f"select count(*) from orders where o_orderkey in ({', '.join(str(i * 7) for i in range(1, 41))})",
    'S29 partitions': "select count(*) from spark_catalog.side.by_status where o_orderstatus = 'F' and o_orderkey > 100",
    'S30 pruned at run time': "select count(*) from spark_catalog.side.by_status p join (select distinct o_orderstatus s from orders where o_orderdate < date'1992-01-03') d "
                              'on p.o_orderstatus = d.s',
    'S31 buckets': 'select count(*) from spark_catalog.side.bucketed_a a join spark_catalog.side.bucketed_b b on a.k = b.k',
    'S32 formats': 'select count(*) from spark_catalog.side.as_orc o join spark_catalog.side.as_csv c on o.o_orderkey = c.o_orderkey '
                   "join spark_catalog.side.as_json j on j.o_custkey = c.o_custkey where o.o_orderdate > date'1998-07-01'",
    'S33 wide': 'select count(*), max(wide_59), max(last_note) from wide join orders on last_key = o_orderkey where wide_40 > 1000 and wide_41 < 90000000',
    'S34 wide rows': 'select * from wide join orders on wide_50 = o_orderkey order by wide_01 limit 5',
    'S35 union of tables': 'select count(*) from (select o_orderkey k from orders union all select l_orderkey from lineitem where l_quantity > 45) u '
                           'join clicks on clicks.k = u.k',
    'S36 three times itself': 'select count(*) from nation a join nation b on a.n_nationkey = b.n_regionkey join nation c on b.n_nationkey = c.n_nationkey',
    'S37 long key': "select count(*) from customer join supplier on substring(concat(upper(c_name), '-a-rather-long-literal-that-fills-the-line-', "
                    "lower(c_name)), 1, 200) = substring(concat(upper(s_name), '-another-rather-long-literal-that-fills-the-line-'), 1, 200)",
    'S38 twice aggregated': 'select count(*) from (select k, max(s) m from (select o_custkey k, o_orderstatus t, sum(o_totalprice) s from orders group by 1, 2) group by k) '
                            'join customer on k = c_custkey',
    'S39 renamed aggregate': 'select count(*) from (select o_custkey + 0 as b, max(o_orderkey) as m, o_custkey as k from orders group by o_custkey) '
                             'join customer on k = c_custkey join lineitem on m = l_orderkey',
    'S40 window of aggregate': 'select count(*) from (select o_custkey k, sum(o_totalprice) s, rank() over (order by sum(o_totalprice)) r from orders group by 1) '
                               'join customer on k = c_custkey where r < 10',
    'S41 values': "select count(*) from (values (1, 'a'), (2, 'b')) v(x, y) join orders on x = o_orderkey",
    'S42 date of key': 'select count(*) from orders join lineitem on year(o_orderdate) = year(l_shipdate) and o_orderkey = l_orderkey',
    'S43 case key': "select count(*) from orders join customer on case when o_orderstatus = 'F' then o_custkey else -1 end = c_custkey",
    'S44 semi and anti': 'select count(*) from customer left semi join orders on c_custkey = o_custkey left anti join supplier on c_custkey = s_suppkey',
    'S45 right outer': 'select count(*) from orders right join customer on o_custkey = c_custkey and o_totalprice > c_acctbal',
    'Z46 times': "select count(*) from clicks join orders on k = o_orderkey where at >= timestamp'1998-07-20 22:30:00' "
                 "and at < timestamp'1998-07-25 01:15:00.5' and local <> timestamp_ntz'1998-07-21 04:00:00' and day <> date'1998-07-22'",
}


def run(spark, steps, out, table_format, repetitions):
    make(spark, out, table_format)
    steps.queries(QUERIES, repetitions)
    if os.environ.get('SQLONLY'):
        return
    dataframes(spark, steps)
    (delta_writes if table_format == 'delta' else iceberg_writes)(spark, steps)
    file_writes(spark, steps, out)


def dataframes(spark, steps):
    from pyspark.sql import functions as F
    o, c, l = spark.table('orders'), spark.table('customer'), spark.table('lineitem')
    steps.sql('F60 cache table', 'cache table held as select o_custkey as k, o_orderkey as ok from orders where o_orderdate > date"1998-01-01"')
    steps.sql('F61 cached once', 'select count(*) from held join customer on k = c_custkey')
    steps.sql('F62 cached twice', 'select count(*) from held a join held b on a.k = b.ok')
    steps.sql('F63 uncache', 'uncache table held')
    spark.sql('drop view held')
    summed = o.groupBy('o_custkey').agg(F.sum('o_totalprice').alias('s')).withColumnRenamed('o_custkey', 'who').persist()
    steps.run('F64 cached aggregate', lambda: summed.join(c, summed.who == c.c_custkey).count())
    summed.unpersist()
    steps.run('F65 python function', lambda: o.select('o_orderkey', F.udf(lambda s: s + '!', 'string')('o_orderstatus').alias('x'))
              .join(l, F.col('o_orderkey') == F.col('l_orderkey')).where("x > 'G'").count())
    steps.run('F66 deduplicated', lambda: o.dropDuplicates(['o_custkey']).join(c, o.o_custkey == c.c_custkey).count())
    steps.run('F67 by name', lambda: o.select('o_custkey').unionByName(c.select(F.col('c_custkey').alias('o_custkey')))
              .join(spark.table('supplier'), F.col('o_custkey') == F.col('s_suppkey')).count())


def delta_writes(spark, steps):
    steps.sql('W70 update', "update orders set o_comment = 'touched' where o_orderkey between 100 and 200")
    steps.sql('W71 insert', 'insert into nation select n_nationkey + 100, n_name, n_regionkey, n_comment from nation join region on n_regionkey = r_regionkey')
    steps.sql('W72 overwrite', 'insert overwrite region select * from region')
    steps.sql('W73 merge of an aggregate',
              'merge into orders t using (select l_orderkey k, count(*) n from lineitem where l_orderkey < 1000 group by 1) u '
              "on t.o_orderkey = u.k and t.o_orderdate > date'1992-01-01' when matched and n > 3 then update set o_comment = 'lines' "
              'when not matched then insert (o_orderkey) values (u.k)')
    steps.sql('W74 merge deletes', 'merge into partsupp t using supplier u on t.ps_suppkey = u.s_suppkey and u.s_acctbal < -900 when matched then delete')
    steps.sql('W75 delete range', "delete from lineitem where l_shipdate < date'1992-01-10'")
    steps.sql('W76 merge of the unmatched', 'merge into supplier t using (select * from supplier where s_suppkey < 20) u on t.s_suppkey = u.s_suppkey '
              "when matched then update set s_comment = 'seen' when not matched by source and t.s_suppkey > 490 then delete")
    steps.sql('W77 random source', 'merge into customer t using (select * from customer where rand() < 2 and c_custkey < 50) u on t.c_custkey = u.c_custkey '
              "when matched then update set c_comment = 'seen'")


def iceberg_writes(spark, steps):
    for mode in ('copy-on-write', 'merge-on-read'):
        mark = mode[0]
        for table in ('orders', 'customer', 'lineitem', 'partsupp', 'supplier'):
            spark.sql(f"alter table {table} set tblproperties ('write.merge.mode'='{mode}', 'write.update.mode'='{mode}', "
                      f"'write.delete.mode'='{mode}', 'format-version'='2')")
        steps.sql(f'I70{mark} merge', 'merge into orders t using (select l_orderkey k, count(*) n from lineitem where l_orderkey < 1000 group by 1) u '
                  "on t.o_orderkey = u.k when matched and n > 3 then update set o_comment = 'lines'")
        steps.sql(f'I71{mark} merge and insert', 'merge into customer t using (select c_custkey + 100 as k, c_name from customer where c_custkey < 500) u '
                  "on t.c_custkey = u.k when matched then update set c_comment = 'seen' when not matched then insert (c_custkey, c_name) values (k, c_name)")
        steps.sql(f'I72{mark} update', "update orders set o_comment = 'touched' where o_orderkey between 100 and 200")
        steps.sql(f'I73{mark} delete', 'delete from lineitem where l_orderkey between 100 and 200 and l_linenumber = 1')
        steps.sql(f'I74{mark} delete in', 'delete from partsupp where ps_suppkey in (select s_suppkey from supplier where s_acctbal < -900)')
        steps.sql(f'I75{mark} update in', "update supplier set s_comment = 'seen' where s_nationkey in (select n_nationkey from nation where n_regionkey = 1)")
        steps.sql(f'I76{mark} merge deletes', 'merge into partsupp t using supplier u on t.ps_suppkey = u.s_suppkey and u.s_acctbal > 9000 when matched then delete')
    steps.sql('I77 insert', 'insert into nation select n_nationkey + 100, n_name, n_regionkey, n_comment from nation join region on n_regionkey = r_regionkey')
    steps.sql('I78 overwrite', 'insert overwrite region select * from region')
    steps.sql('I79 ctas', 'create or replace table lake.tpch.cust_totals using iceberg as select c_custkey, sum(o_totalprice) t '
              'from customer join orders on c_custkey = o_custkey group by 1')


def file_writes(spark, steps, out):
    steps.sql('P80 insert into files', 'insert into spark_catalog.side.taken select o_orderkey, o_custkey, o_orderdate from orders '
              'join customer on o_custkey = c_custkey where o_orderkey < 100')
    steps.sql('P81 ctas of files', 'create table spark_catalog.side.made using parquet as select o_orderkey, c_name from orders join customer on o_custkey = c_custkey')
    steps.sql('P82 drop', 'drop table spark_catalog.side.made')
    o, c, l = spark.table('orders'), spark.table('customer'), spark.table('lineitem')
    path = f'{out}/warehouse/by-path'
    steps.run('P83 files by path', lambda: o.join(c, o.o_custkey == c.c_custkey).select('o_orderkey', 'c_name')
              .write.mode('overwrite').parquet(path))
    read = spark.read.parquet(path)
    steps.run('P84 read by path', lambda: read.join(l, read.o_orderkey == l.l_orderkey).count())
