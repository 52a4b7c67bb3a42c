"""Makes tables of every feature and type that Spark with Delta writes.

run(spark, folder, which) makes FOLDER/NAME for each, and gives a list of what is to be known of
them: {"name", "keys", "refused", "ask", "error"}, the last where one could not be made. WHICH is
SEED/COUNT for so many tables drawn by the seed, 0/0 for all, or names with commas between them.
"""
import random

import deleted, features, histories, logs, places, refused, schemas, values  # noqa: F401, E401 they register tables
from maker import KNOWN, here


def chosen(which, version):
    """The tables that this Spark can make and that were asked for."""
    known = [entry for entry in KNOWN if entry[4] <= version <= entry[5]]
    if "/" not in which:
        return [entry for entry in known if entry[0] in which.split(",")]
    seed, count = map(int, which.split("/"))
    if not count:
        return known
    drawn = random.Random(seed).sample(range(len(known)), count)
    return [known[i] for i in sorted(drawn)]


def under(conf, make):
    """What make says against itself, run under the settings."""
    before = {key: here.spark.conf.get(key, None) for key in conf}
    for key, value in conf.items():
        here.spark.conf.set(key, value)
    try:
        make()
        return ""
    except Exception as error:  # all that cannot be made are told at once
        return str(error)[:600]
    finally:
        for key, value in before.items():
            here.spark.conf.unset(key) if value is None else here.spark.conf.set(key, value)


def run(spark, folder, which):
    here.spark, here.root = spark, folder
    version = tuple(int(part) for part in spark.version.split(".")[:2])
    made = []
    for name, make, keys, why, _, _, ask, conf in chosen(which, version):
        made.append({"name": name, "keys": keys, "refused": why, "ask": ask, "error": under(conf, make)})
    return made
