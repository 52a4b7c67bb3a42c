"""Writes to a Delta table for a time; sparktest runs it in a session.

run(spark, path, what, seconds) gives how many commits it made:
    append    20 rows each, from row 200 on
    merge     each counts up n of rows 0 to 99 and adds 10 rows, from row 1000000 on
A statement that loses to another writer runs again; the time counts from its first commit on.
"""
import time

ROW = "id, id * 7919 % 1000 AS k, 0L AS n"


def append(table, i):
    return f"INSERT INTO {table} SELECT {ROW} FROM range({200 + 20 * i}, {220 + 20 * i}, 1, 1)"


def merge(table, i):
    start = 1000000 + 10 * i
    return (f"MERGE INTO {table} t USING (SELECT {ROW} FROM (SELECT id FROM range(0, 100, 1, 1) UNION ALL SELECT id FROM range({start}, {start + 10}, 1, 1))) s"
            " ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + 1 WHEN NOT MATCHED THEN INSERT *")


def lost(error):
    return "DELTA_CONCURRENT" in str(error) or "io.delta.exceptions.Concurrent" in str(error)


def run(spark, path, what, seconds):
    statement = {"append": append, "merge": merge}[what]
    commits = 0
    while not commits or time.monotonic() < until:
        try:
            spark.sql(statement(f"delta.`{path}`", commits))
            commits += 1
            if commits == 1:  # a Spark that has just started takes its time
                until = time.monotonic() + float(seconds)
        except Exception as error:
            if not lost(error):
                raise
    return commits
