"""Writes to, or reads, a Delta table on S3 with delta-rs and conditional puts.

    python deltars_s3.py make URL              one commit: rows 0 to 199
    python deltars_s3.py append URL COMMITS    commits of 20 rows each, from row 200 on
    python deltars_s3.py ids URL               the ids of all rows, a JSON list

The server and its keys are in the environment, as for every S3 client.
"""
import json
import os
import sys

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

OPTIONS = {"conditional_put": "etag", "allow_http": "true", "endpoint_url": os.environ["AWS_ENDPOINT_URL"]}


def rows(start, count):
    ids = range(start, start + count)
    return pa.table({"id": pa.array(ids, pa.int64()), "k": pa.array([i * 7919 % 1000 for i in ids], pa.int64())})


def main(what, url, *more):
    if what == "make":
        write_deltalake(url, rows(0, 200), mode="append", storage_options=OPTIONS)
    elif what == "append":
        for i in range(int(more[0])):
            write_deltalake(url, rows(200 + 20 * i, 20), mode="append", storage_options=OPTIONS)
    else:
        read = QueryBuilder().register("t", DeltaTable(url, storage_options=OPTIONS)).execute("SELECT id FROM t")
        json.dump(pa.table(read.read_all() if hasattr(read, "read_all") else read)["id"].to_pylist(), sys.stdout)


main(*sys.argv[1:])
