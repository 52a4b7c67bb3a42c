"""Types and the values at their edges."""
from maker import create, insert, some, table


@table(["k"])
def plain():
    some("plain")


@table(["i", "d"])
def numbers():
    create("numbers", "b BYTE, s SHORT, i INT, l BIGINT, f FLOAT, d DOUBLE")
    special = ["'NaN'", "'Infinity'", "'-Infinity'", "'0.0'", "'-0.0'", "'1.5'", "'-1e-45'", "'3.4028235e38'", "null"]
    for part in (special[:4], special[4:]):
        insert("numbers", *(f"cast(1 as byte), cast(2 as short), {i}, {i}L, cast({f} as float), cast({f} as double)" for i, f in enumerate(part)))
    insert("numbers", "-128Y, -32768S, -2147483648, -9223372036854775807L - 1, cast('1.4e-45' as float), 4.9e-324D",
           "127Y, 32767S, 2147483647, 9223372036854775807L, cast('-3.4028235e38' as float), 1.7976931348623157e308D",
           "null, null, null, null, null, null")


@table(["d9", "d18"])
def decimals():
    shapes = [(1, 0), (9, 4), (10, 0), (18, 18), (19, 0), (38, 0), (38, 18), (38, 38)]
    create("decimals", ", ".join(f"d{p}{'' if s in (0, 4, 18) and p < 19 else '_' + str(s)} DECIMAL({p},{s})" for p, s in shapes))
    nines = lambda p, s, sign: f"cast('{sign}{'9' * (p - s) or '0'}{'.' + '9' * s if s else ''}' as decimal({p},{s}))"
    for sign in ("", "-"):
        insert("decimals", ", ".join(nines(p, s, sign) for p, s in shapes), ", ".join(f"cast({sign}0 as decimal({p},{s}))" for p, s in shapes))
    insert("decimals", ", ".join("null" for _ in shapes), ", ".join(f"cast('0.{'0' * max(s - 1, 0)}1' as decimal({p},{s}))" for p, s in shapes))


@table(["s"])
def texts():
    create("texts", "id INT, s STRING, v VARCHAR(60), c CHAR(5)")
    values = ["''", "null", "'a'", "repeat('z', 40)", "repeat('é', 40)", "decode(unhex('F09F9880'), 'UTF-8')",
              "'tab\\tnewline\\nquote\"backslash\\\\'", "decode(unhex('EFBFBF'), 'UTF-8')", "decode(unhex('00'), 'UTF-8')", "'NULL'", "' leading'", "'مرحبا'",
              "decode(unhex('CC81'), 'UTF-8')", "repeat(decode(unhex('F48FBFBF'), 'UTF-8'), 40)"]
    for at_once in (values[:5], values[5:10], values[10:]):
        insert("texts", *(f"{i}, {v}, substr({v}, 1, 60), 'c{i}'" for i, v in enumerate(at_once)))


@table(["id"])
def binaries():
    create("binaries", "id INT, b BINARY")
    insert("binaries", "1, X''", "2, null", "3, X'00'", "4, X'FF00FF'")
    insert("binaries", "5, unhex(repeat('AB', 300))", "6, cast('text' as binary)")


@table(["d"])
def dates():
    create("dates", "id INT, flag BOOLEAN, d DATE")
    texts = ["0001-01-01", "1582-10-04", "1582-10-15", "1899-12-31", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"]
    for odd in (0, 1):
        insert("dates", *(f"{i}, {i} % 3 = 0, date'{d}'" for i, d in enumerate(texts) if i % 2 == odd), "99, null, null")


def moments(name, kind):
    create(name, f"id INT, t {kind}")
    texts = ["0001-01-01 00:00:00", "1582-10-10 12:00:00.000001", "1883-11-18 00:00:00.123456", "1899-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999",
             "1970-01-01 00:00:00", "2020-06-07 08:09:10.123456", "2262-04-12 00:00:00", "9999-12-31 23:59:59.999999"]
    for third in (0, 1, 2):
        insert(name, *(f"{i}, {kind}'{t}'" for i, t in enumerate(texts) if i % 3 == third), "99, null")


@table(["t"], ask=["int96"])
def int96():
    moments("int96", "timestamp")


@table(["t"], **{"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"})
def micros():
    moments("micros", "timestamp")


@table(["t"], **{"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"})
def millis():
    create("millis", "id INT, t TIMESTAMP")
    for day in (7, 8, 9):
        insert("millis", f"{day}, timestamp'1890-06-0{day} 08:09:10.123'", "0, null", f"1, timestamp'2020-06-0{day} 08:09:10.123'")


@table(["t"])
def localtimes():
    moments("localtimes", "timestamp_ntz")


@table(["t"], ask=["int96"], **{"spark.sql.session.timeZone": "America/St_Johns"})
def newfoundland():
    moments("newfoundland", "timestamp")


@table(["id"])
def structs():
    some("structs", columns="id, named_struct('x', id % 7, 'y', named_struct('z', concat('deep ', id % 5), 'n', if(id % 3 = 0, null, id))) s,"
         " if(id % 4 = 0, null, named_struct('a', cast(id as string))) maybe")


@table(["id"])
def arrays():
    some("arrays", columns="id, if(id % 5 = 0, null, if(id % 5 = 1, array(), array(id, null, id + 1))) a, array(array(id), null, array()) nested,"
         " transform(sequence(0, id % 3), i -> named_struct('i', i, 's', if(i = 1, null, concat('v', i)))) structs")


@table(["id"], ask=["maps"])
def maps():
    some("maps", columns="id, if(id % 5 = 0, null, if(id % 5 = 1, cast(map() as map<string,bigint>), map('one', id, concat('k', id), null))) m,"
         " map(id, named_struct('a', array(id, null), 'b', map('x', cast(id as decimal(10,2))))) deep")


@table(["id"], ask=["maps"])
def deepest():
    some("deepest", columns="id, array(map(cast(id as string), array(named_struct('m', map(date'2020-01-01', array(cast(null as double), 1.5D)), 't', timestamp'1890-01-01 00:00:00')))) d")


@table(["k"])
def nulls():
    some("nulls", columns="id, cast(null as int) k, cast(null as string) s, cast(null as array<int>) a, if(id < 100, null, id) half")


@table(["c0", "c40"])
def wide():
    some("wide", columns=", ".join(f"id * {i + 1} % 101 c{i}" for i in range(60)))


@table(["a.b"])
def names():
    some("names", columns="id `a.b`, id + 1 `ünï`, id + 2 `Ke-y`, id + 3 `select`, id + 4 `#1`, id + 5 `%20`, id + 6 `x/y`, id + 7 `Å`")
