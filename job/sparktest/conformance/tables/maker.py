"""What the other files here describe tables with."""
import threading


class Here(threading.local):
    """The session that makes tables, and the folder they go to; run.py sets both, in each thread."""

    spark = None
    root = ""


here = Here()
KNOWN = []

ROWS = "id, cast(id * 7919 % 1000 as int) k, concat('name ', id * 31 % 97) name, cast(id * 13 % 50 as double) / 4 price"
MAPPED = "'delta.columnMapping.mode'='name'"
VECTORS = "'delta.enableDeletionVectors'='true'"
TRACKED = "'delta.enableRowTracking'='true'"


def table(keys, refused="", since=(3, 5), until=(9, 9), ask=(), **conf):
    """Registers a table: the keys to rewrite it by, what it must be refused for (empty: it must
    not be), which further questions to ask. Versions of Spark from since to until can make it,
    under the settings conf.
    """

    def register(make):
        KNOWN.append((make.__name__, make, keys, refused, since, until, list(ask), conf))
        return make

    return register


def sql(text):
    return here.spark.sql(text)


def at(name):
    return f"delta.`{here.root}/{name}`"


def create(name, columns, properties="", clause=""):
    properties = f"TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {at(name)} ({columns}) USING delta {clause} {properties}")


def ctas(name, select, properties="", clause=""):
    properties = f"TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {at(name)} USING delta {clause} {properties} AS {select}")


def insert(name, *rows):
    """Rows, each a list of expressions, that land in one file."""
    union = " UNION ALL ".join(f"SELECT {r}" for r in rows)
    sql(f"INSERT INTO {at(name)} SELECT /*+ COALESCE(1) */ * FROM ({union})")


def rows(start, count, columns=ROWS, files=1):
    return f"SELECT {columns} FROM range({start}, {start + count}, 1, {files})"


def some(name, properties="", clause="", columns=ROWS, files=3):
    """A table of a few files whose values of k overlap, two of them written at once."""
    ctas(name, rows(0, 200, columns, 2), properties, clause)
    for i in range(2, files):
        sql(f"INSERT INTO {at(name)} {rows(i * 1000, 150, columns)}")
