"""Reads what came into a Delta table since its checkpoint, as a stream; sparktest runs it in a session.

run(spark, path, checkpoint) gives how many rows it read, and the error that ended it, "" for none.
"""


def run(spark, path, checkpoint):
    query = (spark.readStream.format("delta").load(path).writeStream.format("noop")
             .option("checkpointLocation", checkpoint).trigger(availableNow=True).start())
    error = ""
    try:
        query.awaitTermination()
    except Exception as e:
        error = str(e)
    return {"rows": sum(p["numInputRows"] for p in query.recentProgress), "error": error}
