"""Makes tables of every feature and type that Spark with Delta writes.

run(spark, folder, which) makes FOLDER/NAME for each, and gives a list of what is to be known of
them: {"name", "keys", "refused", "ask", "error"}, the last where one could not be made. WHICH is
SEED/COUNT for so many tables drawn by the seed, 0/0 for all, or names with commas between them.
"""
import concurrent.futures
import random

import deleted, features, histories, logs, places, refused, schemas, values  # noqa: F401, E401 they register tables
from maker import KNOWN, here


# Tables at a time: they are so small that most of their time is planning, on one core.
AT_ONCE = 3


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


def fault(session, folder, make, conf):
    """Makes a table in a session of its own; what stands against it, if it cannot be made."""
    here.spark, here.root = session, folder
    try:
        for key, value in conf.items():
            session.conf.set(key, value)
        make()
        return ""
    except Exception as error:  # all that cannot be made are told at once
        return str(error)[:600]


def run(spark, folder, which):
    version = tuple(int(part) for part in spark.version.split(".")[:2])

    def made(entry):
        name, make, keys, why, _, _, ask, conf = entry
        return {"name": name, "keys": keys, "refused": why, "ask": ask, "error": fault(spark.newSession(), folder, make, conf)}

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(made, chosen(which, version)))
