"""Logs with checkpoints of every form, and logs that lost files."""
import glob
import json
import os

from maker import at, here, some, sql, table


def busy(name, properties):
    some(name, properties, files=8)
    sql(f"DELETE FROM {at(name)} WHERE id % 7 = 0")


def forget(name, versions):
    """Takes old commits away, as the clean-up of a log does."""
    for v in range(versions):
        os.remove(f"{here.root}/{name}/_delta_log/{v:020}.json")


@table(["k"])
def checkpointed():
    busy("checkpointed", "'delta.checkpointInterval'='4'")


@table(["k"], ask=["checkpoint"])
def due():
    """The commit of the rewrite is one that gets a checkpoint."""
    busy("due", "'delta.checkpointInterval'='1'")


@table(["k"])
def forgotten():
    busy("forgotten", "'delta.checkpointInterval'='4'")
    forget("forgotten", 4)


@table(["k"], **{"spark.databricks.delta.checkpoint.partSize": "3"})
def multipart():
    busy("multipart", "'delta.checkpointInterval'='4'")
    forget("multipart", 4)


@table(["k"])
def v2json():
    busy("v2json", "'delta.checkpointPolicy'='v2','delta.checkpointInterval'='4'")
    forget("v2json", 4)


@table(["k"], **{"spark.databricks.delta.checkpointV2.topLevelFileFormat": "parquet"})
def v2parquet():
    busy("v2parquet", "'delta.checkpointPolicy'='v2','delta.checkpointInterval'='4'")
    forget("v2parquet", 4)


TYPED = "'delta.checkpoint.writeStatsAsJson'='false','delta.checkpoint.writeStatsAsStruct'='true','delta.checkpointInterval'='4'"


@table(["k"], until=(4, 0))
def neitherstats():
    """Delta Lake 3.3 and 4.0 write no statistics at all then."""
    busy("neitherstats", TYPED)
    forget("neitherstats", 4)


@table(["k"], since=(4, 1), ask=["typed"])
def structstats():
    busy("structstats", TYPED)
    forget("structstats", 4)


def identity_of(kind, action):
    """What an action of a log decides, so that the last one counts."""
    if kind in ("add", "remove"):
        vector = action.get("deletionVector") or {}
        return "file", action["path"], vector.get("pathOrInlineDv"), vector.get("offset")
    return kind, action.get("appId"), action.get("domain")


@table(["k"])
def compacted():
    """Commits that one file stands for, which Spark reads and does not write."""
    busy("compacted", "")
    log, first, last = f"{here.root}/compacted/_delta_log", 1, 5
    latest = {}
    for v in range(first, last + 1):
        with open(f"{log}/{v:020}.json") as f:
            for line in f:
                (kind, action), = json.loads(line).items()
                if kind != "commitInfo":
                    latest[identity_of(kind, action)] = line
    with open(f"{log}/{first:020}.{last:020}.compacted.json", "w") as f:
        f.writelines(latest.values())


@table(["k"])
def lied():
    busy("lied", "'delta.checkpointInterval'='4'")
    with open(f"{here.root}/lied/_delta_log/_last_checkpoint", "w") as f:
        f.write('{"version":77,"size":1}')
    for checksum in glob.glob(f"{here.root}/lied/_delta_log/._last_checkpoint.crc"):
        os.remove(checksum)
