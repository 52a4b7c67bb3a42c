"""bench-merge's runs and its table; see there.

    JARS=FOLDER bench_merge.py FOLDER MERGES MEMORY
"""
import datetime
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable
from pyspark.sql import SparkSession

FILE_BYTES = 2_000_000
RUNS = ('ranges-updates', 'ranges-mixed', 'scattered-updates', 'scattered-mixed', 'every row')
SHARE = 0.005  # of the rows, in each merge
ON = ['l_orderkey', 'l_linenumber']
# TPC-H leaves the keys free that are 9 to 32 above a multiple of 32: inserted rows take them.
FREE = 8


def session(folder):
    jars = ','.join(glob.glob(os.environ['JARS'] + '/*.jar'))
    spark = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').config('spark.jars', jars)
             .config('spark.sql.warehouse.dir', f'{folder}/warehouse').config('spark.driver.memory', '4g')
             .config('spark.sql.extensions', 'io.delta.sql.DeltaSparkSessionExtension')
             .config('spark.sql.catalog.spark_catalog', 'org.apache.spark.sql.delta.catalog.DeltaCatalog')
             .config('spark.sql.shuffle.partitions', '4').config('spark.databricks.delta.snapshotPartitions', '2')
             .config('spark.databricks.delta.optimize.maxFileSize', str(FILE_BYTES)))
    for setting in os.environ.get('SPARK_CONF', '').split():
        spark = spark.config(*setting.split('=', 1))
    spark = spark.getOrCreate()
    spark.sparkContext.setLogLevel('ERROR')
    return spark


def lineitem(folder):
    rows = pq.read_table(f'{folder}/tpch/lineitem')
    schema = pa.schema([pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in rows.schema])
    return rows.cast(schema.remove_metadata())


def make_table(spark, folder):
    place = f'{folder}/lineitem'
    if os.path.isdir(place):
        return
    rows = lineitem(folder)
    os.makedirs(f'{folder}/plain', exist_ok=True)
    pq.write_table(rows, f'{folder}/plain/rows.parquet')
    spark.sql(f"CREATE TABLE made USING delta CLUSTER BY (l_orderkey, l_shipdate) LOCATION '{place}.part' AS SELECT * FROM parquet.`{folder}/plain`")
    spark.sql('OPTIMIZE made FULL')
    spark.sql('DROP TABLE made')
    os.rename(f'{place}.part', place)
    shutil.rmtree(f'{folder}/plain')


def changed(rows):
    """The rows with another quantity and comment."""
    quantity = pc.cast(pc.add(rows['l_quantity'], pa.scalar(1, pa.int64())), rows['l_quantity'].type)
    at = rows.schema.get_field_index
    rows = rows.set_column(at('l_quantity'), 'l_quantity', quantity)
    return rows.set_column(at('l_comment'), 'l_comment', pc.binary_join_element_wise('merged ', rows['l_comment'], ''))


def make_sources(folder, merges):
    if os.path.isdir(f'{folder}/sources-{merges}'):
        return
    rows, drawn = lineitem(folder), random.Random(1)
    rows = rows.take(pc.sort_indices(rows, [('l_orderkey', 'ascending'), ('l_linenumber', 'ascending')]))
    out, n = f'{folder}/sources-{merges}.part', int(rows.num_rows * SHARE)
    shutil.rmtree(out, ignore_errors=True)
    for spread in ('ranges', 'scattered'):
        for kind in ('updates', 'mixed'):
            os.makedirs(f'{out}/{spread}-{kind}')
            for i in range(merges):
                if spread == 'ranges':
                    some = rows.slice(drawn.randrange(rows.num_rows - n), n)
                else:
                    some = rows.take(sorted(drawn.sample(range(rows.num_rows), n)))
                some = changed(some)
                if kind == 'mixed':
                    new = some.slice(n // 2) if spread == 'ranges' else some.take(list(range(1, n, 2)))
                    old = some.slice(0, n // 2) if spread == 'ranges' else some.take(list(range(0, n, 2)))
                    keys = pc.add(new['l_orderkey'], FREE * (1 + i % 3))
                    some = pa.concat_tables([old, new.set_column(new.schema.get_field_index('l_orderkey'), 'l_orderkey', keys)])
                pq.write_table(some, f'{out}/{spread}-{kind}/{i:02}.parquet')
    os.makedirs(f'{out}/every row')
    pq.write_table(changed(rows), f'{out}/every row/00.parquet')
    os.rename(out, f'{folder}/sources-{merges}')


def fresh(folder, name):
    copy = f'{folder}/copy-{name}'
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(f'{folder}/lineitem', copy)
    return copy


def statement(table, source):
    on = ' AND '.join(f't.{c} = s.{c}' for c in ON)
    return f'MERGE INTO delta.`{table}` t USING parquet.`{source}` s ON {on} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *'


def by_spark(spark, table, sources):
    began = time.time()
    for source in sources:
        spark.sql(statement(table, source)).collect()
    return time.time() - began


def by_ajlo(folder, memory, table, sources):
    """The time that all merges took, each a process of its own, and the rows that were put elsewhere."""
    began, apart = time.time(), 0
    for source in sources:
        said = subprocess.run([f'{folder}/ajlo', 'merge', '--into', table, '--source', source, '--on', ','.join(ON), '--when-matched', 'update',
                               '--when-not-matched', 'insert', '--memory', memory, '--json'], check=True, stdout=subprocess.PIPE).stdout
        said = json.loads(said)
        apart += said['rows_apart'] + said['plan']['rows']['placed']
    return time.time() - began, apart


def metrics(table):
    """The sum of each metric over all merges, by the table's own history."""
    total = {}
    for entry in DeltaTable(table).history():
        if entry['operation'] == 'MERGE':
            for name, value in entry['operationMetrics'].items():
                total[name] = total.get(name, 0) + int(value)
    return total


def bounds(table):
    return pa.table(DeltaTable(table).get_add_actions(flatten=True))


def read(table, column, least, most):
    """Bytes of the files whose bounds hold a value of the range."""
    rows = bounds(table).select(['size_bytes', f'min.{column}', f'max.{column}']).to_pylist()
    return sum(r['size_bytes'] for r in rows if r[f'min.{column}'] <= most and r[f'max.{column}'] >= least)


def reads(table):
    """MB read by a look-up of 100 keys and by a month, each a mean over ten."""
    span = read_span(table)
    keys = [span * i // 11 for i in range(1, 11)]
    months = [datetime.date(1993 + i // 2, 1 + 5 * (i % 2), 1) for i in range(10)]
    look_up = sum(read(table, 'l_orderkey', k, k + 100) for k in keys) / len(keys)
    month = sum(read(table, 'l_shipdate', m, m + datetime.timedelta(30)) for m in months) / len(months)
    return look_up / 1e6, month / 1e6


def read_span(table):
    return max(bounds(table)['max.l_orderkey'].to_pylist())


ROW = '{:<20} {:<6} {:>7} {:>10} {:>12} {:>6} {:>11} {:>8}'


def report(name, engine, table, took, shuffled):
    look_up, month = reads(table)
    copied = metrics(table).get('numTargetRowsCopied', 0)
    print(ROW.format(name, engine, f'{took:.1f}', f'{copied / 1e6:.2f}', f'{shuffled / 1e6:.3f}', len(DeltaTable(table).file_uris()),
                     f'{look_up:.1f}', f'{month:.1f}'), flush=True)


def main(folder, merges, memory):
    spark = session(folder)
    make_table(spark, folder)
    make_sources(folder, merges)
    sources = f'{folder}/sources-{merges}'
    warm = fresh(folder, 'warm')
    by_spark(spark, warm, sorted(glob.glob(f'{sources}/ranges-mixed/*.parquet'))[:2])
    shutil.rmtree(warm)
    look_up, month = reads(f'{folder}/lineitem')
    rows = DeltaTable(f'{folder}/lineitem')
    print(f'lineitem: {len(rows.file_uris())} files; before any merge a look-up reads {look_up:.1f} MB and a month {month:.1f} MB; {merges} merges of {SHARE:.1%} each')
    print(ROW.format('merges', 'engine', 'wall s', 'copied M', 'shuffled M', 'files', 'look-up MB', 'month MB'))
    for name in os.environ.get('RUNS', ','.join(RUNS)).split(','):
        some = sorted(glob.glob(f'{sources}/{name}/*.parquet'))
        for engine in ('ajlo', 'spark'):
            table = fresh(folder, engine)
            if engine == 'ajlo':
                # A source of every row is over a third of a small limit.
                took, shuffled = by_ajlo(folder, '8GB' if name == 'every row' else memory, table, some)
            else:
                took = by_spark(spark, table, some)
                shuffled = metrics(table)['numOutputRows']  # all of them go through the join
            report(name, engine, table, took, shuffled)
            shutil.rmtree(table)
    spark.stop()


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
