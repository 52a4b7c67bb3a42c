"""One Spark session driven over standard input and output, one JSON object a line.

In:  {"sql": TEXT}, {"scans": TEXT}, {"all": [TEXT, ...]}, {"program": FILE, "arguments": [TEXT, ...]}
Out: {"ready": VERSION} once, then for each line in
     {"columns": [...], "rows": [[...], ...]}
     {"scans": [{"location", "table", "files", "bytes", "rows"}, ...], "rows": NUMBER}
     {"answers": [ANSWER TO ONE STATEMENT, ...]}: the statements run some at a time
     {"value": what run(session, *arguments) of the program's file gave}
     {"error": MESSAGE, "class": JAVA CLASS}

Configuration is the JSON object in the first argument. Dates, times and decimals come as text.
"""
import concurrent.futures
import datetime
import decimal
import json
import os
import runpy
import sys
import traceback

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession


# Statements at a time: small ones spend most of their time where Spark uses one core.
AT_ONCE = 3


def plain(value):
    if isinstance(value, Row):
        return {name: plain(field) for name, field in value.asDict().items()}
    if isinstance(value, dict):
        return {str(key): plain(field) for key, field in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return value


def each(seq):
    """The elements of a Scala Seq."""
    return [seq.apply(i) for i in range(seq.size())]


def leaves(plan):
    """The leaf nodes that ran. What a node reuses was read once, where it was made; what is cached
    is not followed, since the query that filled the cache read it."""
    kind = plan.getClass().getSimpleName()
    if kind in ('ReusedExchangeExec', 'ReusedSubqueryExec'):
        return
    for subquery in each(plan.subqueries()):
        yield from leaves(subquery)
    if kind == 'AdaptiveSparkPlanExec':
        yield from leaves(plan.executedPlan())
    elif kind.endswith('QueryStageExec'):
        yield from leaves(plan.plan())
    elif plan.children().isEmpty():
        yield plan
    else:
        for child in each(plan.children()):
            yield from leaves(child)


def scan(node):
    metrics = node.metrics()
    table = node.tableIdentifier()
    return {
        'location': each(node.relation().location().rootPaths())[0].toString(),
        'table': table.get().unquotedString() if table.isDefined() else '',
        'files': metrics.apply('numFiles').value(),
        'bytes': metrics.apply('filesSize').value(),
        'rows': metrics.apply('numOutputRows').value(),
    }


def batch_scan(node):
    """A scan of Iceberg: what its planning left is known as a result."""
    metrics = node.metrics()
    return {
        'location': '', 'table': node.table().name(),
        'files': metrics.apply('resultDataFiles').value(),
        'bytes': metrics.apply('totalDataFileSize').value() if metrics.contains('totalDataFileSize') else 0,
        'rows': metrics.apply('numOutputRows').value(),
    }


def run_sql(spark, text):
    frame = spark.sql(text)
    return {'columns': frame.columns, 'rows': [plain(tuple(row)) for row in frame.collect()]}


def run_scans(spark, text):
    frame = spark.sql(text)
    rows = frame.collect()
    found = {}
    for node in leaves(frame._jdf.queryExecution().executedPlan()):
        if node.getClass().getSimpleName() == 'FileSourceScanExec':
            found[node.id()] = scan(node)
        elif node.getClass().getSimpleName() == 'BatchScanExec':
            found[node.id()] = batch_scan(node)
    return {'scans': [found[key] for key in sorted(found)], 'rows': len(rows)}


def run_all(spark, texts):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return {'answers': list(pool.map(lambda text: answer(spark, {'sql': text}), texts))}


def run_program(spark, path, arguments):
    sys.path.insert(0, os.path.dirname(path))
    try:
        return {'value': runpy.run_path(path)['run'](spark, *arguments)}
    except Exception as error:
        return {'error': traceback.format_exc(), 'class': type(error).__name__}
    finally:
        sys.path.pop(0)


def answer(spark, request):
    try:
        if 'program' in request:
            return run_program(spark, request['program'], request['arguments'])
        if 'all' in request:
            return run_all(spark, request['all'])
        if 'scans' in request:
            return run_scans(spark, request['scans'])
        return run_sql(spark, request['sql'])
    except Py4JJavaError as error:
        return {'error': error.java_exception.toString(), 'class': error.java_exception.getClass().getName()}
    except PySparkException as error:
        origin = getattr(error, '_origin', None)
        return {'error': str(error), 'class': origin.getClass().getName() if origin else type(error).__name__}


def main(conf):
    # What Spark prints must not be taken for an answer.
    out = os.fdopen(os.dup(1), 'w', buffering=1, encoding='utf-8')
    os.dup2(2, 1)
    builder = SparkSession.builder.master('local[2]').appName('ajlo-sparktest')
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel('ERROR')
    print(json.dumps({'ready': spark.version}), file=out)
    for line in sys.stdin:
        print(json.dumps(answer(spark, json.loads(line))), file=out)
    spark.stop()


if __name__ == '__main__':
    main(json.loads(sys.argv[1]))
