"""What must be refused, by name."""
import json

from maker import MAPPED, at, ctas, here, sql, table


@table(["id"], refused="typeWidening", since=(4, 0))
def widened():
    ctas("widened", "SELECT cast(id as int) id FROM range(0, 50, 1, 1)", "'delta.enableTypeWidening'='true'")
    sql(f"ALTER TABLE {at('widened')} ALTER COLUMN id TYPE BIGINT")


@table(["id"], refused="variant", since=(4, 0))
def variant():
    ctas("variant", "SELECT id, parse_json('{\"a\": 1}') v FROM range(0, 50, 1, 1)")


@table(["id"], refused="void")
def voided():
    ctas("voided", "SELECT id, null v FROM range(0, 50, 1, 1)")


@table(["id"], refused="symlinkFormatManifest")
def symlinked():
    ctas("symlinked", "SELECT id FROM range(0, 50, 1, 1)", "'delta.compatibility.symlinkFormatManifest.enabled'='true'")


@table(["id"], refused="absolute")
def cloned():
    ctas("cloning", "SELECT id FROM range(0, 50, 1, 1)")
    sql(f"CREATE TABLE {at('cloned')} SHALLOW CLONE {at('cloning')}")


def doctored(name, change):
    """A table whose log claims a feature that this Spark would not switch on."""
    ctas(name, "SELECT id FROM range(0, 50, 1, 1)", "'delta.feature.vacuumProtocolCheck'='supported'")
    path = f"{here.root}/{name}/_delta_log/{0:020}.json"
    with open(path) as f:
        lines = [json.loads(line) for line in f]
    for line in lines:
        change(line)
    with open(path, "w") as f:
        f.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def claims(*features):
    def change(line):
        for kind in ("readerFeatures", "writerFeatures"):
            if "protocol" in line:
                line["protocol"][kind] += features

    return change


@table(["id"], refused="catalogManaged")
def catalogmanaged():
    doctored("catalogmanaged", claims("catalogManaged"))


@table(["id"], refused="icebergCompatV2")
def iceberg():
    ctas("iceberg", "SELECT id FROM range(0, 50, 1, 1)", MAPPED + ",'delta.enableIcebergCompatV2'='true'")


@table(["id"], refused="collations")
def collated():
    doctored("collated", claims("collations-preview"))


@table(["id"], refused="reader version 4")
def future():
    def change(line):
        if "protocol" in line:
            line["protocol"].update(minReaderVersion=4, minWriterVersion=8)

    doctored("future", change)
