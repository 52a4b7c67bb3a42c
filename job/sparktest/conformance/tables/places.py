"""Partitions, clustering and the order of rows."""
from maker import MAPPED, VECTORS, at, create, insert, rows, some, sql, table


# Partitions
ODD = ["''", "null", "'a b'", "'a/b'", "'a%b'", "'100%25'", "'k=v'", "'ünï'", "'a:b'", "'#?&'", "'__HIVE_DEFAULT_PARTITION__x'", "'{x}[y]'", "'*\"\\\\'", "' '", "'..'"]


@table(["id"], ask=["partitions"])
def partitioned():
    create("partitioned", "id BIGINT, p STRING", clause="PARTITIONED BY (p)")
    for start in (0, 100):
        insert("partitioned", *(f"{start + i * 3 + j}L, {p}" for i, p in enumerate(ODD) for j in range(3)))


@table(["id"], ask=["partitions"])
def partitiontypes():
    columns = "b BYTE, i INT, l BIGINT, dc DECIMAL(20,3), d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, f FLOAT, flag BOOLEAN"
    create("partitiontypes", "id BIGINT, " + columns, clause="PARTITIONED BY (b, i, l, dc, d, t, n, f, flag)")
    values = "cast({0} as byte), {0}, {0}L, cast({0}.125 as decimal(20,3)), date'1890-01-0{0}', timestamp'1890-01-0{0} 01:02:03.004', timestamp_ntz'2020-01-0{0} 01:02:03', cast({0}.5 as float), {0} = 1"
    for start in (0, 100):
        insert("partitiontypes", *(f"{start + i}L, {values.format(1 + i % 2)}" for i in range(10)), "77L" + ", null" * 9)


@table(["k"], ask=["partitions"])
def partitionlevels():
    some("partitionlevels", columns="id, cast(id % 3 as int) p, date_add(date'2024-01-01', cast(id % 2 as int)) d, cast(id % 17 as int) k", clause="PARTITIONED BY (d, p)")


@table(["id"], ask=["partitions", "mapped"])
def partitionmapped():
    some("partitionmapped", MAPPED, "PARTITIONED BY (p)", "id, concat('p ', id % 2) p, id % 9 k")
    sql(f"ALTER TABLE {at('partitionmapped')} RENAME COLUMN p TO part")
    columns = "id, concat('p ', id % 2), id % 9"
    sql(f"INSERT INTO {at('partitionmapped')} {rows(9000, 40, columns)}")


# Clustering
@table(["k"], ask=["clustered"])
def clustered():
    some("clustered", clause="CLUSTER BY (k)")


@table(["k", "name"], ask=["clustered"])
def clusteredtwo():
    some("clusteredtwo", clause="CLUSTER BY (k, name)")
    sql(f"OPTIMIZE {at('clusteredtwo')}")
    sql(f"INSERT INTO {at('clusteredtwo')} {rows(7000, 60)}")


@table(["id"], since=(4, 0), ask=["clustered"])
def clusteredlater():
    some("clusteredlater")
    sql(f"ALTER TABLE {at('clusteredlater')} CLUSTER BY (id)")


@table(["k"], ask=["clustered", "mapped", "vectors"])
def clusteredmapped():
    some("clusteredmapped", MAPPED + "," + VECTORS, "CLUSTER BY (k)")
    sql(f"DELETE FROM {at('clusteredmapped')} WHERE id % 7 = 0")


@table(["k"])
def clusterednone():
    some("clusterednone", clause="CLUSTER BY (k)")
    sql(f"ALTER TABLE {at('clusterednone')} CLUSTER BY NONE")


@table(["name"])
def clusteredother():
    """Rewritten by other keys than it declares."""
    some("clusteredother", clause="CLUSTER BY (k)")


@table(["k", "price"])
def zordered():
    some("zordered")
    sql(f"OPTIMIZE {at('zordered')} ZORDER BY (k)")
