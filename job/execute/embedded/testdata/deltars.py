"""Writes to, or reads, a Delta table with delta-rs; on S3 with conditional puts.

    python deltars.py make URL              one commit: rows 0 to 199
    python deltars.py append URL SECONDS    commits of 20 rows each, from row 200 on, for so long
    python deltars.py merge URL SECONDS     commits that count up n of rows 0 to 99
    python deltars.py rows URL              [id, n] of all rows, a JSON list

Those that commit write how many commits they made. The server and its keys are in the environment, as for every S3 client.
"""
import json
import os
import random
import sys
import time

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import CommitFailedError

# The longest that each rests between commits, in seconds: as long as a merge, or a rewrite by
# ajlo, takes on a slow machine, so that all come through now and then.
APPEND_REST = 2
MERGE_REST = 1


def rows(start, count):
    ids = range(start, start + count)
    return pa.table({
        "id": pa.array(ids, pa.int64()), "k": pa.array([i * 7919 % 1000 for i in ids], pa.int64()), "n": pa.array([0] * count, pa.int64()),
    })


def repeat(seconds, rest, write):
    """Commits again and again, once at least. Who loses tries again: delta-rs lets even an append
    lose to a merge, and the other way round, so that without rests no merge would come through.
    """
    until, commits = time.monotonic() + float(seconds), 0
    while time.monotonic() < until or not commits:
        time.sleep(random.random() * rest)
        try:
            write(commits)
            commits += 1
        except CommitFailedError:
            pass
    print(commits)


def count_up(url, options):
    merge = DeltaTable(url, storage_options=options).merge(rows(0, 100), "t.id = s.id", source_alias="s", target_alias="t")
    merge.when_matched_update({"n": "t.n + 1"}).execute()


def main(what, url, *more):
    options = None
    if url.startswith("s3:"):
        options = {"conditional_put": "etag", "allow_http": "true", "endpoint_url": os.environ["AWS_ENDPOINT_URL"]}
    if what == "make":
        write_deltalake(url, rows(0, 200), mode="append", storage_options=options)
    elif what == "append":
        repeat(more[0], APPEND_REST, lambda i: write_deltalake(url, rows(200 + 20 * i, 20), mode="append", storage_options=options))
    elif what == "merge":
        repeat(more[0], MERGE_REST, lambda i: count_up(url, options))
    else:
        read = QueryBuilder().register("t", DeltaTable(url, storage_options=options)).execute("SELECT id, n FROM t")
        json.dump([list(row.values()) for row in pa.table(read.read_all() if hasattr(read, "read_all") else read).to_pylist()], sys.stdout)


main(*sys.argv[1:])
