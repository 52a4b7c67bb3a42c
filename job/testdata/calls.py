"""Call records in a table of Iceberg, and the look-ups that they are kept for."""


def run(spark, what, *arguments):
    return {'make': make, 'ask': ask}[what](spark, *arguments)


def make(spark, table, day, files, rows):
    """Adds a day of calls in order of arrival, so many files of so many rows each."""
    files, rows = int(files), int(rows)
    spark.sql('CREATE NAMESPACE IF NOT EXISTS lake.tele')
    spark.sql(f'CREATE TABLE IF NOT EXISTS {table} (from_number BIGINT, to_number BIGINT, time TIMESTAMP, duration INT, type STRING) '
              "USING iceberg PARTITIONED BY (days(time)) TBLPROPERTIES ('write.distribution-mode' = 'none')")
    n = files * rows
    calls = spark.range(0, n, 1, files).selectExpr(
        f"pmod(xxhash64(id, '{day}', 'from'), 900000000) + 100000000 AS from_number",
        f"pmod(xxhash64('to', id, '{day}'), 900000000) + 100000000 AS to_number",
        f"timestamp_millis(unix_millis(timestamp'{day} 00:00:00') + id * 86400000 div {n}) AS time",
        'cast(pmod(xxhash64(id), 3600) AS INT) AS duration',
        "element_at(array('voice', 'text', 'data'), cast(1 + pmod(xxhash64(id, 1), 3) AS INT)) AS type")
    calls.writeTo(table).append()


def ask(spark, *queries):
    """Runs queries, each with the description that is before it."""
    for description, sql in zip(queries[::2], queries[1::2]):
        spark.sparkContext.setJobDescription(description)
        spark.sql(sql).collect()
    spark.sparkContext.setJobDescription(None)
