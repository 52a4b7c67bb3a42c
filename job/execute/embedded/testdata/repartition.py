"""Uses a Delta table with delta-rs while its partition columns change.

    python repartition.py make PATH       rows 0 to 199, partitioned by kind
    python repartition.py use PATH FROM   appends 50 rows, merges 100, deletes some, compacts and z-orders
    python repartition.py rows PATH [VERSION]   [id, kind, day, n] of all rows, a JSON list in order of id
    python repartition.py stale PATH VERSION    appends a row as who opened the table at that version: what became of it
"""
import json
import sys

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import CommitFailedError


def rows(start, count):
    ids = range(start, start + count)
    return pa.table({
        "id": pa.array(ids, pa.int64()), "kind": pa.array([None if i % 11 == 0 else f"k {i % 4}/%ä" for i in ids], pa.string()),
        "day": pa.array([20454 + i % 5 for i in ids], pa.date32()), "n": pa.array([i * 7919 % 1000 for i in ids], pa.int64()),
    })


def use(path, start):
    write_deltalake(path, rows(start, 50), mode="append")
    merge = DeltaTable(path).merge(rows(start + 25, 100), "t.id = s.id", source_alias="s", target_alias="t")
    merge.when_matched_update({"n": "s.n + 1", "kind": "'merged'"}).when_not_matched_insert_all().execute()
    DeltaTable(path).delete(f"id = {start + 3}")
    DeltaTable(path).optimize.compact()
    DeltaTable(path).optimize.z_order(["n"])


def stale(path, version):
    try:
        write_deltalake(DeltaTable(path, version=version), rows(90_000, 1), mode="append")
        print("committed")
    except CommitFailedError as e:
        print("refused:", e)


def main(what, path, *more):
    if what == "make":
        write_deltalake(path, rows(0, 200), partition_by=["kind"])
    elif what == "use":
        use(path, int(more[0]))
    elif what == "stale":
        stale(path, int(more[0]))
    else:
        table = DeltaTable(path, version=int(more[0]) if more else None)
        found = QueryBuilder().register("t", table).execute("SELECT id, kind, cast(day as string) AS day, n FROM t ORDER BY id, n")
        table = pa.table(found.read_all() if hasattr(found, "read_all") else found)
        print(json.dumps([list(r.values()) for r in table.to_pylist()]))


main(*sys.argv[1:])
