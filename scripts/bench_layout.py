"""The part of bench-layout that runs in Spark, and its table.

    JARS=FOLDER bench_layout.py lakes FOLDER TPCH_PARQUET FILE_BYTES   two starting lakes, FOLDER/key and FOLDER/date
    JARS=FOLDER bench_layout.py read FOLDER REPEAT LAKE[:SET]...       runs queries; the event log goes to FOLDER/read/eventlogs
    JARS=FOLDER bench_layout.py sql FOLDER FILE_BYTES LAKE...          carries out the SQL of FOLDER/LAKE.answer, and lays key-static by date
    bench_layout.py table FOLDER FACTS.json                            the table, of what `ajlo facts --json` says of the log

A lake is a folder with one Delta table in each folder of its tpch.db. SET is Q (Q01 to Q10 of
workload.py, the default) or H (the 22 queries of TPC-H).
"""
import collections
import glob
import json
import os
import random
import sys

import tpch
import workload

# Bytes of each table at scale 1 as Spark writes it (Parquet, snappy).
BYTES = {'orders': 57e6, 'lineitem': 213e6, 'customer': 12e6, 'part': 6e6, 'partsupp': 41e6, 'supplier': 1e6, 'nation': 1, 'region': 1}
KEYS = {
    'orders': 'o_orderkey', 'lineitem': 'l_orderkey', 'customer': 'c_custkey', 'part': 'p_partkey', 'partsupp': 'ps_partkey',
    'supplier': 's_suppkey', 'nation': 'n_nationkey', 'region': 'r_regionkey',
}
ORDERS = {'key': KEYS, 'date': {**KEYS, **workload.ARRIVES_BY}}


def session(out, file_bytes=None):
    settings = {'spark.sql.shuffle.partitions': '4', 'spark.driver.memory': '5g'}
    if file_bytes:
        settings['spark.databricks.delta.optimize.maxFileSize'] = str(file_bytes)
    os.makedirs(f'{out}/eventlogs', exist_ok=True)
    return workload.session(out, 'delta', settings)


def size_of(pattern):
    return sum(os.path.getsize(path) for path in glob.glob(pattern))


def make_lakes(folder, source, file_bytes):
    scale = max(1, round(size_of(f'{source}/lineitem/*.parquet') / 225e6))
    spark = session(f'{folder}/made')
    spark.conf.set('spark.sql.adaptive.enabled', 'false')
    for lake, order in ORDERS.items():
        for table, column in order.items():
            place = f'{folder}/{lake}/tpch.db/{table}'
            if os.path.isdir(place):
                continue
            files = max(1, round(BYTES[table] * scale / file_bytes))
            rows = spark.read.parquet(f'{source}/{table}').repartitionByRange(files, column).sortWithinPartitions(column)
            rows.write.format('delta').save(place)
    spark.stop()


def use(spark, lake):
    """Makes the lake's tables the ones that names mean."""
    name = 'lake_' + ''.join(c if c.isalnum() else '_' for c in lake)
    spark.sql(f'create database if not exists {name}')
    spark.sql(f'use {name}')
    for table in KEYS:
        spark.sql(f"create table if not exists {table} using delta location '{lake}/tpch.db/{table}'")


def labelled(scale):
    """The queries by label, Q01 to H22, for keys of a TPC-H scale."""
    orders, customers = 6_000_000 * scale, 150_000 * scale
    own = workload.queries(int(orders * .40), int(orders * .55), int(customers * .30), int(customers * .42))
    return {**{label[:3]: text for label, text in own.items() if label[0] == 'Q'}, **tpch.QUERIES}


def read(folder, repeat, wanted):
    """Repetitions go round all queries of all lakes, so that a busy minute falls on all of them."""
    spark = session(f'{folder}/read')
    steps = workload.Steps(spark)
    scale = max(1, round(size_of(f'{folder}/date/tpch.db/lineitem/*.parquet') / 209e6))
    jobs = []
    for each in wanted:
        lake, _, kind = each.partition(':')
        jobs += [(lake, label, text) for label, text in labelled(scale).items() if label[0] == (kind or 'Q')]
    for turn in range(repeat):
        random.Random(turn).shuffle(jobs)
        for lake, label, text in jobs:
            use(spark, f'{folder}/{lake}')
            steps.sql(f'{lake} {label}', text)
    spark.stop()


def statements(folder, lake):
    """What Spark is to do: by the answer, and the lake that is laid by date whatever is asked."""
    if lake == 'key-static':
        for table, column in workload.ARRIVES_BY.items():
            yield f'alter table delta.`{folder}/{lake}/tpch.db/{table}` cluster by ({column})'
            yield f'optimize delta.`{folder}/{lake}/tpch.db/{table}` full'
    yield from answer_of(folder, lake).get('sql') or []


def lay_out(folder, file_bytes, lakes):
    todo = [statement for lake in lakes for statement in statements(folder, lake)]
    if not todo:
        return
    spark = session(f'{folder}/laid', file_bytes)
    for statement in todo:
        spark.sql(statement.rstrip(';'))
    spark.stop()


def median(values):
    return sorted(values)[len(values) // 2]


def facts_of(path):
    """Bytes, wall and task seconds of each execution, by lake and query."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            query = json.loads(line)
            lake, _, label = query['query'].partition(' ')
            if query['status'] == 'succeeded' and label[:1] in ('Q', 'H') and len(label) == 3:
                read_bytes = sum(scan['bytes_read'] for scan in query['scans'])
                found[lake][label].append((read_bytes, query['wall_ms'] / 1e3, query['task_ms'] / 1e3))
    return found


def answer_of(folder, lake):
    path = f'{folder}/{lake}.answer'
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as text:
        return json.load(text)


def print_table(folder, path):
    found = facts_of(path)
    print('| start | layout | MB a query | MB of Q08 to Q10 | wall s | task s | foretold MB | mean error | worst |')
    print('|---|---|---|---|---|---|---|---|---|')
    for lake in sorted(found):
        start, _, layout = lake.partition('-')
        for kind in 'QH':
            queries = {label: runs for label, runs in found[lake].items() if label[0] == kind}
            if queries:
                name = (layout or 'untouched') + (', TPC-H' if kind == 'H' else '')
                print('|', ' | '.join([start, name, *row(queries, answer_of(folder, lake), layout)]), '|')
    for start in ORDERS:
        floor = answer_of(folder, f'{start}-cuts').get('floor', {})
        late = [value for label, value in floor.items() if label[-3:] in ('Q08', 'Q09', 'Q10')]
        if floor:
            print(f'| {start} | floor | {sum(floor.values()) / len(floor) / 1e6:.1f} | {sum(late) / len(late) / 1e6:.1f} | | | | | |')


def row(queries, answer, layout):
    got = {label: [median(values) for values in zip(*runs)] for label, runs in queries.items()}
    mean = [sum(values) / len(got) for values in zip(*got.values())]
    late = [got[label][0] for label in ('Q08', 'Q09', 'Q10') if label in got]
    cells = [f'{mean[0] / 1e6:.1f}', f'{sum(late) / len(late) / 1e6:.1f}' if late else '', f'{mean[1]:.1f}', f'{mean[2]:.1f}']
    told = {label[-3:]: value for label, value in answer.get('foretold', {}).items()}
    errors = {label: abs(told[label] / got[label][0] - 1) for label in got if told.get(label) and got[label][0]}
    if not errors or layout == 'paper':  # its method foretells a constant
        return cells + ['', '', '']
    worst = max(errors, key=errors.get)
    return cells + [
        f'{sum(told[label] for label in errors) / len(errors) / 1e6:.1f}', f'{sum(errors.values()) / len(errors):.1%}',
        f'{errors[worst]:.1%} of {got[worst][0] / 1e6:.1f} MB ({worst})',
    ]


def main(arguments):
    command, folder, rest = arguments[0], os.path.abspath(arguments[1]), arguments[2:]
    if command == 'lakes':
        make_lakes(folder, os.path.abspath(rest[0]), int(rest[1]))
    elif command == 'read':
        read(folder, int(rest[0]), rest[1:])
    elif command == 'sql':
        lay_out(folder, int(rest[0]), rest[1:])
    elif command == 'table':
        print_table(folder, rest[0])
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(sys.argv[1:])
