"""Schemas that changed, and columns without statistics."""
from maker import MAPPED, ROWS, at, rows, some, sql, table


# Statistics
@table(["k"])
def nostats():
    some("nostats", "'delta.dataSkippingNumIndexedCols'='0'")


@table(["k"])
def fewstats():
    some("fewstats", "'delta.dataSkippingNumIndexedCols'='2'")


@table(["k"], since=(4, 0))
def namedstats():
    some("namedstats", "'delta.dataSkippingStatsColumns'='k,price'")


@table(["id"])
def nestedstats():
    some("nestedstats", columns="named_struct('a', id, 'b', named_struct('c', cast(id as string), 'd', date'2020-01-01')) s, id")


# Schemas that changed
@table(["k"])
def added():
    some("added")
    sql(f"ALTER TABLE {at('added')} ADD COLUMNS (later INT, deep STRUCT<a: INT, b: STRING>)")
    columns = ROWS + ", cast(id % 5 as int), named_struct('a', cast(id as int), 'b', 'x')"
    sql(f"INSERT INTO {at('added')} {rows(5000, 50, columns)}")


@table(["id"])
def grown():
    """A struct that got another field."""
    some("grown", columns="id, named_struct('x', id) s, array(named_struct('x', id)) a")
    sql(f"ALTER TABLE {at('grown')} ADD COLUMNS (s.y STRING FIRST, a.element.y STRING)")
    sql(f"INSERT INTO {at('grown')} SELECT id, named_struct('y', 'new', 'x', id), array(named_struct('x', id, 'y', 'new')) FROM range(9000, 9040, 1, 1)")


@table(["k"])
def reordered():
    some("reordered")
    sql(f"ALTER TABLE {at('reordered')} ALTER COLUMN price FIRST")
    sql(f"ALTER TABLE {at('reordered')} ALTER COLUMN name AFTER price")


@table(["key"], ask=["mapped"])
def renamed():
    some("renamed", MAPPED)
    sql(f"ALTER TABLE {at('renamed')} RENAME COLUMN k TO key")
    sql(f"INSERT INTO {at('renamed')} {rows(7000, 60)}")


@table(["id"], ask=["mapped"])
def readded():
    some("readded", MAPPED)
    sql(f"ALTER TABLE {at('readded')} DROP COLUMN k")
    sql(f"ALTER TABLE {at('readded')} ADD COLUMNS (k STRING)")
    sql(f"INSERT INTO {at('readded')} SELECT id, 'n', 1.5D, 'text' FROM range(7000, 7060, 1, 1)")


@table(["k"], ask=["mapped"])
def mapped():
    some("mapped", "'delta.columnMapping.mode'='id'")


@table(["id"], ask=["mapped", "maps"])
def mappeddeep():
    some("mappeddeep", MAPPED, columns="id, named_struct('x', id, 'y', named_struct('z', concat('n', id))) s,"
         " array(named_struct('e', id)) a, map('k', named_struct('v', id)) m")
    sql(f"ALTER TABLE {at('mappeddeep')} RENAME COLUMN s.y TO why")
    sql(f"ALTER TABLE {at('mappeddeep')} RENAME COLUMN a.element.e TO f")
    sql(f"ALTER TABLE {at('mappeddeep')} RENAME COLUMN m.value.v TO w")
    sql(f"ALTER TABLE {at('mappeddeep')} ADD COLUMNS (s.late INT)")
    sql(f"INSERT INTO {at('mappeddeep')} SELECT id, named_struct('x', id, 'why', named_struct('z', 'n'), 'late', 3), array(named_struct('f', id)), map('k', named_struct('w', id)) FROM range(9000, 9040, 1, 1)")


@table(["k"], ask=["mapped"])
def upgraded():
    """Mapped since its first files were written."""
    some("upgraded")
    sql(f"ALTER TABLE {at('upgraded')} SET TBLPROPERTIES ('delta.columnMapping.mode'='name','delta.minReaderVersion'='2','delta.minWriterVersion'='5')")
    sql(f"ALTER TABLE {at('upgraded')} RENAME COLUMN name TO title")
    sql(f"INSERT INTO {at('upgraded')} {rows(7000, 60)}")


@table(["a b,c"], ask=["mapped"])
def oddnames():
    some("oddnames", MAPPED, columns="id, id % 10 `a b,c`, id % 7 `=;{}()`, id `tab\tx`")
