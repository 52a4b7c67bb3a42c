"""Runs a labelled workload over TPC-H tables on a real Spark, so that its event logs can be read back.

    JARS=FOLDER workload.py OUT TPCH_PARQUET [delta|iceberg] [spark.conf=value ...]

Event logs go to OUT/eventlogs, tables to OUT/warehouse. Tables that are there already are used as
they are. The label of a step is its job description. Environment:

    JARS     folder with the jars of the table format
    APP      name of the application (default nightly-reports)
    REPS     how often each SQL label runs, as JSON: {"Q01": 5, "*": 1}; "*" stands for the rest
    SQLONLY  when set, only the SQL steps run: no DataFrames, no DML
    SHAPES   when set, the steps of shapes.py run as well
    MODES    explain modes, apart by commas: everything runs once in each, on the same tables
    FILES    the most files that a table is written in
    CODECS   compression codecs, apart by commas: the log is written again through each of Spark's
             own streams, to OUT/codecs/CODEC
"""
import glob
import json
import os
import sys

from pyspark.sql import SparkSession, functions as F

# Files that each table is written in, and the column facts arrive by.
FILES = {'orders': 16, 'lineitem': 48, 'customer': 6, 'part': 6, 'partsupp': 12, 'supplier': 2, 'nation': 1, 'region': 1}
ARRIVES_BY = {'orders': 'o_orderdate', 'lineitem': 'l_shipdate'}

EXTENSIONS = {
    'delta': {
        'spark.sql.extensions': 'io.delta.sql.DeltaSparkSessionExtension',
        'spark.sql.catalog.spark_catalog': 'org.apache.spark.sql.delta.catalog.DeltaCatalog',
    },
    'iceberg': {
        'spark.sql.extensions': 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions',
        'spark.sql.catalog.lake': 'org.apache.iceberg.spark.SparkCatalog',
        'spark.sql.catalog.lake.type': 'hadoop',
        'spark.sql.defaultCatalog': 'lake',
    },
}


def session(out, table_format, settings):
    """A local Spark that logs to OUT and never broadcasts by itself, so that joins shuffle."""
    conf = {
        'spark.jars': ','.join(glob.glob(os.environ['JARS'] + '/*.jar')),
        'spark.ui.enabled': 'false',
        'spark.ui.showConsoleProgress': 'false',
        'spark.eventLog.enabled': 'true',
        'spark.eventLog.dir': f'file://{out}/eventlogs',
        'spark.sql.warehouse.dir': f'{out}/warehouse',
        'spark.sql.shuffle.partitions': '8',
        'spark.driver.memory': '4g',
        'spark.sql.autoBroadcastJoinThreshold': '-1',
        **EXTENSIONS[table_format],
        **settings,
    }
    if table_format == 'iceberg':
        conf['spark.sql.catalog.lake.warehouse'] = f'{out}/warehouse'
    builder = SparkSession.builder.master('local[2]').appName(os.environ.get('APP', 'nightly-reports'))
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel('ERROR')
    return spark


def make_tables(spark, out, source, table_format):
    """Facts arrive by date, dimensions in no particular order."""
    spark.sql('create database if not exists tpch')
    spark.sql('use tpch')
    most = int(os.environ.get('FILES', max(FILES.values())))
    for table, files in FILES.items():
        files = min(files, most)
        if os.path.isdir(f'{out}/warehouse/tpch.db/{table}') or os.path.isdir(f'{out}/warehouse/tpch/{table}'):
            continue
        rows = spark.read.parquet(f'{source}/{table}')
        if table in ARRIVES_BY:
            rows = rows.repartitionByRange(files, ARRIVES_BY[table]).sortWithinPartitions(ARRIVES_BY[table])
        else:
            rows = rows.repartition(files)
        if table_format == 'delta':
            rows.write.format('delta').saveAsTable(f'tpch.{table}')
        else:
            rows.writeTo(f'lake.tpch.{table}').using('iceberg').create()
    if table_format == 'delta':
        for table in FILES:
            if not spark.catalog.tableExists(f'tpch.{table}'):
                spark.sql(f"create table tpch.{table} using delta location '{out}/warehouse/tpch.db/{table}'")


def key_ranges(spark):
    """The ranges of order keys and customer keys that the queries ask for."""
    orders = spark.sql('select max(o_orderkey) from orders').first()[0]
    customers = spark.sql('select max(c_custkey) from customer').first()[0]
    return int(orders * .40), int(orders * .55), int(customers * .30), int(customers * .42)


def queries(a, z, ca, cz):
    """The SQL steps by label, for order keys a to z and customer keys ca to cz."""
    return {
        'Q01 key range, two facts':
            'select sum(l_extendedprice*(1-l_discount)) from orders o join lineitem l on o.o_orderkey=l.l_orderkey '
            f'where o.o_orderkey between {a} and {z}',
        'Q02 revenue per priority':
            'select o_orderpriority, count(*) from orders, lineitem where o_orderkey=l_orderkey '
            f'and l_orderkey >= {a} and l_orderkey < {a+(z-a)//2} group by 1',
        'Q03 customer orders':
            'select c_mktsegment, sum(o_totalprice) from customer c inner join orders o on c.c_custkey=o.o_custkey '
            f'where c_custkey between {ca} and {cz} group by 1',
        'Q04 three tables':
            'select c_nationkey, sum(l_quantity) from customer join orders on c_custkey=o_custkey '
            f'join lineitem on l_orderkey=o_orderkey where o_orderkey between {a} and {z} group by 1',
        'Q05 aliased subquery':
            f'select k, sum(p) from (select o_orderkey as k, o_totalprice as p from orders where o_orderkey < {a}) x '
            'join (select l_orderkey as kk from lineitem) y on x.k=y.kk group by k order by 2 desc limit 10',
        'Q06 cte':
            'with big as (select l_orderkey ok, sum(l_quantity) q from lineitem group by 1 having sum(l_quantity)>200) '
            f'select count(*) from big join orders on ok=o_orderkey where o_orderkey > {z}',
        'Q07 semi join':
            'select count(*) from orders where o_orderkey in '
            '(select l_orderkey from lineitem where l_commitdate < l_receiptdate) '
            f'and o_orderkey between {a} and {z}',
        'Q08 date filter lineitem':
            "select sum(l_extendedprice) from lineitem where l_shipdate between date'1995-03-01' and date'1995-03-31'",
        'Q09 date filter orders':
            "select o_orderstatus, count(*) from orders where o_orderdate >= date'1996-01-01' "
            "and o_orderdate < date'1996-04-01' group by 1",
        'Q10 date filter year':
            "select l_returnflag, l_linestatus, sum(l_quantity) from lineitem where l_shipdate >= date'1997-01-01' "
            "and l_shipdate < date'1998-01-01' group by 1,2",
        'J11 composite key':
            'select sum(ps_supplycost*l_quantity) from lineitem join partsupp on l_partkey=ps_partkey '
            "and l_suppkey=ps_suppkey where l_shipdate >= date'1998-06-01'",
        'J12 left outer':
            'select c_custkey, count(o_orderkey) from customer left join orders on c_custkey=o_custkey '
            "and o_comment not like '%special%requests%' group by 1 order by 2 desc limit 5",
        'J13 anti join':
            'select count(*) from customer where not exists (select 1 from orders where o_custkey=c_custkey)',
        'J14 self join':
            'select count(*) from lineitem a join lineitem b on a.l_orderkey=b.l_orderkey and a.l_suppkey<>b.l_suppkey '
            "where a.l_receiptdate > a.l_commitdate and a.l_shipdate > date'1998-10-01'",
        'J15 expression key':
            "select count(*) from orders join lineitem on o_orderkey + 0 = l_orderkey where o_orderdate > date'1998-07-01'",
        'J16 cast key':
            'select count(*) from orders join lineitem on cast(o_orderkey as string) = cast(l_orderkey as string) '
            "where o_orderdate > date'1998-07-25'",
        'J17 union under join':
            "select count(*) from (select o_orderkey k from orders where o_orderstatus='F' union all "
            "select o_orderkey k from orders where o_orderstatus='P') u "
            "join lineitem on u.k=l_orderkey where l_shipdate<date'1992-06-01'",
        'J18 aggregate under join':
            'select count(*) from (select o_custkey, max(o_orderdate) d from orders group by o_custkey) m '
            'join customer on c_custkey=m.o_custkey',
        'J19 full outer using':
            "select count(*) from (select l_partkey as p_partkey from lineitem where l_shipdate > date'1998-11-01') "
            'full outer join part using (p_partkey)',
        'J20 non equi only':
            'select count(*) from nation n join region r on n.n_nationkey < r.r_regionkey',
        'J21 star with hint':
            'select /*+ BROADCAST(supplier) */ n_name, sum(l_extendedprice) from lineitem '
            'join supplier on l_suppkey=s_suppkey join nation on s_nationkey=n_nationkey '
            "where l_shipdate>=date'1998-01-01' group by 1",
        'J22 null safe':
            "select count(*) from orders join lineitem on o_orderkey <=> l_orderkey where o_orderdate > date'1998-07-01'",
        'T03':
            'select l_orderkey, sum(l_extendedprice*(1-l_discount)) rev, o_orderdate from customer, orders, lineitem '
            "where c_mktsegment='BUILDING' and c_custkey=o_custkey and l_orderkey=o_orderkey "
            "and o_orderdate<date'1995-03-15' and l_shipdate>date'1995-03-15' group by 1,3 order by 2 desc limit 10",
        'T05':
            'select n_name, sum(l_extendedprice*(1-l_discount)) from customer, orders, lineitem, supplier, nation, region '
            'where c_custkey=o_custkey and l_orderkey=o_orderkey and l_suppkey=s_suppkey and c_nationkey=s_nationkey '
            "and s_nationkey=n_nationkey and n_regionkey=r_regionkey and r_name='ASIA' "
            "and o_orderdate>=date'1994-01-01' and o_orderdate<date'1995-01-01' group by 1",
        'T17':
            'select sum(l_extendedprice)/7.0 from lineitem, part where p_partkey=l_partkey '
            "and p_brand='Brand#23' and p_container='MED BOX' "
            'and l_quantity < (select 0.2*avg(l_quantity) from lineitem where l_partkey=p_partkey)',
        'T18':
            'select c_name, o_orderkey, sum(l_quantity) from customer, orders, lineitem where o_orderkey in '
            '(select l_orderkey from lineitem group by l_orderkey having sum(l_quantity)>300) '
            'and c_custkey=o_custkey and o_orderkey=l_orderkey group by 1,2',
        'T21':
            'select s_name, count(*) from supplier, lineitem l1, orders, nation where s_suppkey=l1.l_suppkey '
            "and o_orderkey=l1.l_orderkey and o_orderstatus='F' and l1.l_receiptdate>l1.l_commitdate "
            'and exists (select 1 from lineitem l2 where l2.l_orderkey=l1.l_orderkey and l2.l_suppkey<>l1.l_suppkey) '
            "and s_nationkey=n_nationkey and n_name='SAUDI ARABIA' group by 1 order by 2 desc limit 10",
    }


class Steps:
    """Runs labelled steps; a step that fails is part of the workload."""

    def __init__(self, spark):
        self.spark = spark

    def run(self, label, action):
        self.spark.sparkContext.setJobDescription(label)
        try:
            action()
        except Exception as error:  # whatever Spark raises: the log has the failed execution
            print('FAILED', label, str(error)[:200].replace('\n', ' '))
        self.spark.sparkContext.setJobDescription(None)

    def sql(self, label, text):
        self.run(label, lambda: self.spark.sql(text).collect())

    def queries(self, by_label, repetitions):
        for label, text in by_label.items():
            for _ in range(repetitions.get(label.split()[0], repetitions.get('*', 1))):
                self.sql(label, text)

    def dataframes(self, a, path_of):
        spark = self.spark
        o, l, c = spark.table('orders'), spark.table('lineitem'), spark.table('customer')
        self.run('D31 dataframe join', lambda: (
            o.filter(o.o_orderdate > '1998-06-01').join(l, o.o_orderkey == l.l_orderkey)
            .groupBy('o_orderpriority').count().collect()))
        self.run('D32 renamed columns', lambda: (
            o.select(F.col('o_custkey').alias('cust id'), 'o_totalprice')
            .join(c.select(F.col('c_custkey').alias('cust id'), 'c_name'), 'cust id')
            .agg(F.sum('o_totalprice')).collect()))
        cached = c.filter('c_acctbal > 0').cache()
        self.run('D33 cached side', lambda: cached.join(o, cached.c_custkey == o.o_custkey).count())
        cached.unpersist()
        if path_of:
            self.sql('D34 path table',
                     f"select count(*) from delta.`{path_of('orders')}` a join delta.`{path_of('lineitem')}` b "
                     f'on a.o_orderkey=b.l_orderkey where a.o_orderkey<{a}')
        spark.sql('create or replace temp view v_open as select o_orderkey as order_id, o_custkey as buyer '
                  'from orders where o_orderstatus = "O"')
        self.sql('D35 through a view', 'select count(*) from v_open join customer on buyer = c_custkey')
        self.sql('D36 failed query',
                 "select count(*), raise_error('boom') from orders join lineitem on o_orderkey=l_orderkey")

    def broadcasts(self, a):
        conf = self.spark.conf
        conf.set('spark.sql.autoBroadcastJoinThreshold', '10485760')
        self.sql('B41 broadcast at run time',
                 "select count(*) from lineitem join (select * from orders where o_comment like '%zzzz%' ) x "
                 'on o_orderkey=l_orderkey')
        conf.set('spark.sql.adaptive.enabled', 'false')
        self.sql('B42 no adaptive',
                 f'select count(*) from lineitem join orders on o_orderkey=l_orderkey where o_orderkey<{a}')
        conf.set('spark.sql.adaptive.enabled', 'true')
        conf.set('spark.sql.autoBroadcastJoinThreshold', '-1')

    def changes(self, a):
        self.sql('M51 merge',
                 f'merge into orders t using (select * from orders where o_orderkey between {a} and {a+500}) u '
                 "on t.o_orderkey=u.o_orderkey when matched then update set o_comment = 'touched'")
        self.sql('M52 delete', f'delete from lineitem where l_orderkey = {a}')
        self.sql('M53 ctas',
                 'create or replace table cust_totals using delta as select c_custkey, sum(o_totalprice) t '
                 'from customer join orders on c_custkey=o_custkey group by 1')


def states(spark, out, table_format):
    """The commits of each Delta table, or the snapshot of each Iceberg table, to come back to."""
    if table_format == 'delta':
        return {t: sorted(glob.glob(f'{out}/warehouse/tpch.db/{t}/_delta_log/*.json')) for t in FILES}
    return {t: spark.sql(f'select snapshot_id from lake.tpch.{t}.snapshots order by committed_at desc').first()[0] for t in FILES}


def restore(spark, out, table_format, before):
    """Brings tables back as if nothing had been done: a RESTORE would be a version of its own, and
    cost more than what it undoes. No table gets so many commits that it is checkpointed."""
    if table_format == 'iceberg':
        for table, snapshot in before.items():
            spark.sql(f"call lake.system.rollback_to_snapshot('tpch.{table}', {snapshot})")
        return
    for table, commits in states(spark, out, table_format).items():
        for commit in set(commits) - set(before[table]):
            folder, name = os.path.split(commit)
            os.remove(commit)
            for beside in (f'{folder}/.{name}.crc', f'{folder}/{name[:-5]}.crc', f'{folder}/.{name[:-5]}.crc.crc'):
                if os.path.exists(beside):
                    os.remove(beside)
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    spark.catalog.clearCache()


def write_again(spark, log, out, codecs):
    """Writes a log that is complete through Spark's own codec streams, flushed here and there as
    while it was being written."""
    jvm, conf = spark._jvm, spark._jvm.org.apache.spark.SparkConf()
    for codec in codecs:
        os.makedirs(f'{out}/codecs/{codec}', exist_ok=True)
        text = jvm.java.io.FileInputStream(log)
        stream = jvm.org.apache.spark.io.CompressionCodec.createCodec(conf, codec).compressedContinuousOutputStream(
            jvm.java.io.FileOutputStream(f'{out}/codecs/{codec}/{os.path.basename(log)}.{codec}'))
        while jvm.org.apache.commons.io.IOUtils.copyLarge(text, stream, 0, 1 << 20):
            stream.flush()
        stream.close()
        text.close()


def main(arguments):
    out, source = os.path.abspath(arguments[0]), os.path.abspath(arguments[1])
    table_format = arguments[2] if len(arguments) > 2 else 'delta'
    os.makedirs(f'{out}/eventlogs', exist_ok=True)
    spark = session(out, table_format, dict(setting.split('=', 1) for setting in arguments[3:]))
    make_tables(spark, out, source, table_format)
    a, z, ca, cz = key_ranges(spark)
    modes = [mode for mode in os.environ.get('MODES', '').split(',') if mode]
    before = states(spark, out, table_format) if modes else {}
    for mode in modes or [None]:
        if mode:
            spark.conf.set('spark.sql.ui.explainMode', mode)
        run_steps(spark, out, table_format, (a, z, ca, cz))
        if mode:
            restore(spark, out, table_format, before)
    spark.stop()
    if os.environ.get('CODECS'):
        write_again(spark, glob.glob(f'{out}/eventlogs/*')[0], out, os.environ['CODECS'].split(','))


def run_steps(spark, out, table_format, keys):
    steps, delta = Steps(spark), table_format == 'delta'
    repetitions = json.loads(os.environ.get('REPS', '{}'))
    steps.queries(queries(*keys), repetitions)
    if os.environ.get('SHAPES'):
        import shapes
        shapes.run(spark, steps, out, table_format, repetitions)
    if os.environ.get('SQLONLY'):
        return
    steps.dataframes(keys[0], (lambda table: f'{out}/warehouse/tpch.db/{table}') if delta else None)
    steps.broadcasts(keys[0])
    if delta:
        steps.changes(keys[0])


if __name__ == '__main__':
    main(sys.argv[1:])
