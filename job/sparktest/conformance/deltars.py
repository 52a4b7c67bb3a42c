"""Makes Delta tables with delta-rs, or compares what it reads in two folders.

    python deltars.py make FOLDER WHICH    tables in FOLDER/NAME; writes a JSON list of what is to be
                                           known of them, as tables/run.py gives it, which says what
                                           WHICH is, too
    python deltars.py compare FILE         FILE: JSON list of [before, after]; writes a JSON list of
                                           {"before": ERROR, "after": ERROR, "rows": N, "equal": BOOL}
"""
import collections
import datetime
import decimal
import json
import math
import os
import random
import sys

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

STAMP = datetime.datetime(1890, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone.utc)


def simple(start, count):
    ids = range(start, start + count)
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "k": pa.array([i * 7919 % 1000 for i in ids], pa.int32()),
        "name": pa.array([f"name {i * 31 % 97}" if i % 5 else None for i in ids]),
    })


def every(start, count):
    ids = range(start, start + count)
    floats = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, None]
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "b": pa.array([i % 128 for i in ids], pa.int8()),
        "s": pa.array([i % 9 for i in ids], pa.int16()),
        "f": pa.array([floats[i % 7] for i in ids], pa.float32()),
        "d": pa.array([floats[i % 7] for i in ids], pa.float64()),
        "dec": pa.array([decimal.Decimal(i).scaleb(-18) for i in ids], pa.decimal128(38, 18)),
        "text": pa.array(["" if i % 3 == 0 else "é" * 40 for i in ids]),
        "bin": pa.array([bytes([0, 255, i % 256]) for i in ids], pa.binary()),
        "flag": pa.array([i % 2 == 0 for i in ids]),
        "day": pa.array([datetime.date(1, 1, 1 + i % 9) for i in ids]),
        "t": pa.array([STAMP + datetime.timedelta(i) for i in ids], pa.timestamp("us", "UTC")),
        "n": pa.array([STAMP.replace(tzinfo=None) + datetime.timedelta(i) for i in ids], pa.timestamp("us")),
        "st": pa.array([{"x": i, "y": {"z": str(i)}} if i % 4 else None for i in ids], pa.struct([("x", pa.int64()), ("y", pa.struct([("z", pa.string())]))])),
        "l": pa.array([[i, None] if i % 3 else [] for i in ids], pa.list_(pa.int64())),
        "m": pa.array([[("a", i), ("b", None)] for i in ids], pa.map_(pa.string(), pa.int64())),
    })


def some(at, data=simple, **options):
    for start in (0, 500, 1000):
        write_deltalake(at, data(start, 120), mode="append", **options)


def erased(at):
    some(at)
    DeltaTable(at).delete("id % 7 = 0")


def checkpointed(at):
    some(at)
    DeltaTable(at).create_checkpoint()
    write_deltalake(at, simple(5000, 40), mode="append")


def typed(at):
    """Statistics are in a checkpoint's typed columns only."""
    some(at, configuration={"delta.checkpoint.writeStatsAsJson": "false", "delta.checkpoint.writeStatsAsStruct": "true"})
    DeltaTable(at).create_checkpoint()
    for v in range(2):
        os.remove(f"{at}/_delta_log/{v:020}.json")


def zordered(at):
    some(at)
    DeltaTable(at).optimize.z_order(["k"])


def compacted(at):
    some(at)
    DeltaTable(at).optimize.compact()
    write_deltalake(at, simple(5000, 40), mode="append")


def merged(at):
    some(at)
    (DeltaTable(at).merge(simple(100, 300), "t.id = s.id", source_alias="s", target_alias="t")
     .when_matched_update({"name": "'merged'"}).when_not_matched_insert_all().execute())


def constrained(at):
    some(at)
    DeltaTable(at).alter.add_constraint({"positive": "id >= 0"})
    write_deltalake(at, simple(5000, 40), mode="append")


def grown(at):
    some(at)
    more = simple(5000, 40).append_column("late", pa.array([1.5] * 40))
    write_deltalake(at, more, mode="append", schema_mode="merge")


def updated(at):
    some(at, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(at).update({"name": "'updated'"}, predicate="id % 11 = 0")


MADE = [
    ("rs_simple", some, ["k"], []),
    ("rs_every", lambda at: some(at, every), ["id"], ["maps"]),
    ("rs_partitioned", lambda at: some(at, partition_by=["name"]), ["k"], ["partitions"]),
    ("rs_erased", erased, ["k"], []),
    ("rs_checkpointed", checkpointed, ["k"], []),
    ("rs_typed", typed, ["k"], ["typed"]),
    ("rs_zordered", zordered, ["k", "id"], []),
    ("rs_compacted", compacted, ["k"], []),
    ("rs_merged", merged, ["k"], []),
    ("rs_constrained", constrained, ["k"], []),
    ("rs_grown", grown, ["k"], []),
    ("rs_feed", updated, ["k"], ["feed"]),
    ("rs_tight", lambda at: some(at, configuration={"delta.dataSkippingNumIndexedCols": "1"}), ["k"], []),
]


def chosen(which):
    if "/" not in which:
        return [entry for entry in MADE if entry[0] in which.split(",")]
    seed, count = map(int, which.split("/"))
    if not count:
        return MADE
    drawn = random.Random(seed).sample(range(len(MADE)), count)
    return [MADE[i] for i in sorted(drawn)]


def make(folder, which):
    known = []
    for name, write, keys, ask in chosen(which):
        write(f"{folder}/{name}")
        known.append({"name": name, "keys": keys, "refused": "", "ask": ask, "error": ""})
    json.dump(known, sys.stdout)


def rows(path):
    """The rows as a multiset of texts; repr tells -0.0 from 0.0 and shows NaN."""
    answer = QueryBuilder().register("t", DeltaTable(path)).execute("SELECT * FROM t")
    read = pa.table(answer.read_all() if hasattr(answer, "read_all") else answer)
    return collections.Counter(repr(row) for row in read.to_pylist())


def attempt(path):
    try:
        return rows(path), ""
    except BaseException as error:  # a panic of Rust's is no Exception
        return None, str(error)[:300] or type(error).__name__


def compare(file):
    with open(file) as f:
        pairs = json.load(f)
    answers = []
    for before, after in pairs:
        old, old_error = attempt(before)
        new, new_error = attempt(after)
        answers.append({"before": old_error, "after": new_error, "rows": sum((old or {}).values()), "equal": old == new})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    {"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:])
