"""The 22 queries of the TPC-H specification with its validation parameters, for Spark SQL."""

REVENUE = 'l_extendedprice * (1 - l_discount)'


def days(date, interval):
    return f"date'{date}' + interval {interval}"


QUERIES = {
    'H01': 'select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), '
           f'sum({REVENUE}), sum({REVENUE} * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) '
           f"from lineitem where l_shipdate <= date'1998-12-01' - interval 90 days group by 1, 2 order by 1, 2",
    'H02': 'with cheapest as (select ps_partkey k, min(ps_supplycost) c from partsupp join supplier on s_suppkey = ps_suppkey '
           "join nation on s_nationkey = n_nationkey join region on n_regionkey = r_regionkey where r_name = 'EUROPE' group by 1) "
           'select s_acctbal, s_name, n_name, p_partkey, p_mfgr from part join partsupp on p_partkey = ps_partkey '
           'join supplier on s_suppkey = ps_suppkey join nation on s_nationkey = n_nationkey '
           'join region on n_regionkey = r_regionkey join cheapest on k = p_partkey and c = ps_supplycost '
           "where p_size = 15 and p_type like '%BRASS' and r_name = 'EUROPE' order by 1 desc, 3, 2, 4 limit 100",
    'H03': f'select l_orderkey, sum({REVENUE}) revenue, o_orderdate, o_shippriority from customer join orders on c_custkey = o_custkey '
           "join lineitem on l_orderkey = o_orderkey where c_mktsegment = 'BUILDING' and o_orderdate < date'1995-03-15' "
           "and l_shipdate > date'1995-03-15' group by 1, 3, 4 order by 2 desc, 3 limit 10",
    'H04': "select o_orderpriority, count(*) from orders where o_orderdate >= date'1993-07-01' "
           f"and o_orderdate < {days('1993-07-01', '3 months')} and exists "
           '(select 1 from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate) group by 1 order by 1',
    'H05': f'select n_name, sum({REVENUE}) revenue from customer join orders on c_custkey = o_custkey '
           'join lineitem on l_orderkey = o_orderkey join supplier on l_suppkey = s_suppkey and c_nationkey = s_nationkey '
           'join nation on s_nationkey = n_nationkey join region on n_regionkey = r_regionkey '
           f"where r_name = 'ASIA' and o_orderdate >= date'1994-01-01' and o_orderdate < {days('1994-01-01', '1 year')} "
           'group by 1 order by 2 desc',
    'H06': "select sum(l_extendedprice * l_discount) from lineitem where l_shipdate >= date'1994-01-01' "
           f"and l_shipdate < {days('1994-01-01', '1 year')} and l_discount between 0.05 and 0.07 and l_quantity < 24",
    'H07': f'select n1.n_name, n2.n_name, year(l_shipdate), sum({REVENUE}) from supplier join lineitem on s_suppkey = l_suppkey '
           'join orders on o_orderkey = l_orderkey join customer on c_custkey = o_custkey join nation n1 on s_nationkey = n1.n_nationkey '
           "join nation n2 on c_nationkey = n2.n_nationkey where ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY') or "
           "(n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE')) and l_shipdate between date'1995-01-01' and date'1996-12-31' "
           'group by 1, 2, 3 order by 1, 2, 3',
    'H08': f"select year(o_orderdate), sum(case when n2.n_name = 'BRAZIL' then {REVENUE} else 0 end) / sum({REVENUE}) "
           'from part join lineitem on p_partkey = l_partkey join supplier on s_suppkey = l_suppkey join orders on l_orderkey = o_orderkey '
           'join customer on o_custkey = c_custkey join nation n1 on c_nationkey = n1.n_nationkey '
           'join region on n1.n_regionkey = r_regionkey join nation n2 on s_nationkey = n2.n_nationkey '
           "where r_name = 'AMERICA' and o_orderdate between date'1995-01-01' and date'1996-12-31' "
           "and p_type = 'ECONOMY ANODIZED STEEL' group by 1 order by 1",
    'H09': f'select n_name, year(o_orderdate), sum({REVENUE} - ps_supplycost * l_quantity) from part join lineitem on p_partkey = l_partkey '
           'join supplier on s_suppkey = l_suppkey join partsupp on ps_suppkey = l_suppkey and ps_partkey = l_partkey '
           "join orders on o_orderkey = l_orderkey join nation on s_nationkey = n_nationkey where p_name like '%green%' "
           'group by 1, 2 order by 1, 2 desc',
    'H10': f'select c_custkey, c_name, sum({REVENUE}) revenue, c_acctbal, n_name, c_address, c_phone, c_comment from customer '
           'join orders on c_custkey = o_custkey join lineitem on l_orderkey = o_orderkey join nation on c_nationkey = n_nationkey '
           f"where o_orderdate >= date'1993-10-01' and o_orderdate < {days('1993-10-01', '3 months')} and l_returnflag = 'R' "
           'group by 1, 2, 4, 5, 6, 7, 8 order by 3 desc limit 20',
    'H11': 'with german as (select ps_partkey k, ps_supplycost * ps_availqty v from partsupp join supplier on ps_suppkey = s_suppkey '
           "join nation on s_nationkey = n_nationkey where n_name = 'GERMANY') "
           'select k, sum(v) from german group by 1 having sum(v) > (select sum(v) * 0.0001 from german) order by 2 desc',
    'H12': "select l_shipmode, sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 1 else 0 end), "
           "sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 0 else 1 end) from orders join lineitem on o_orderkey = l_orderkey "
           "where l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate "
           f"and l_receiptdate >= date'1994-01-01' and l_receiptdate < {days('1994-01-01', '1 year')} group by 1 order by 1",
    'H13': 'select n, count(*) from (select c_custkey, count(o_orderkey) n from customer left join orders on c_custkey = o_custkey '
           "and o_comment not like '%special%requests%' group by 1) group by 1 order by 2 desc, 1 desc",
    'H14': f"select 100 * sum(case when p_type like 'PROMO%' then {REVENUE} else 0 end) / sum({REVENUE}) "
           "from lineitem join part on l_partkey = p_partkey where l_shipdate >= date'1995-09-01' "
           f"and l_shipdate < {days('1995-09-01', '1 month')}",
    'H15': f"with revenue as (select l_suppkey k, sum({REVENUE}) r from lineitem where l_shipdate >= date'1996-01-01' "
           f"and l_shipdate < {days('1996-01-01', '3 months')} group by 1) "
           'select s_suppkey, s_name, r from supplier join revenue on s_suppkey = k where r = (select max(r) from revenue) order by 1',
    'H16': 'select p_brand, p_type, p_size, count(distinct ps_suppkey) from partsupp join part on p_partkey = ps_partkey '
           "where p_brand <> 'Brand#45' and p_type not like 'MEDIUM POLISHED%' and p_size in (49, 14, 23, 45, 19, 3, 36, 9) "
           "and ps_suppkey not in (select s_suppkey from supplier where s_comment like '%Customer%Complaints%') "
           'group by 1, 2, 3 order by 4 desc, 1, 2, 3',
    'H17': 'select sum(l_extendedprice) / 7.0 from lineitem join part on p_partkey = l_partkey where p_brand = \'Brand#23\' '
           "and p_container = 'MED BOX' and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey)",
    'H18': 'select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) from customer join orders on c_custkey = o_custkey '
           'join lineitem on o_orderkey = l_orderkey where o_orderkey in '
           '(select l_orderkey from lineitem group by 1 having sum(l_quantity) > 300) group by 1, 2, 3, 4, 5 order by 5 desc, 4 limit 100',
    'H19': f"select sum({REVENUE}) from lineitem join part on p_partkey = l_partkey where l_shipinstruct = 'DELIVER IN PERSON' "
           "and l_shipmode in ('AIR', 'AIR REG') and ("
           "(p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') and l_quantity between 1 and 11 and p_size between 1 and 5) or "
           "(p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') and l_quantity between 10 and 20 and p_size between 1 and 10) or "
           "(p_brand = 'Brand#34' and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') and l_quantity between 20 and 30 and p_size between 1 and 15))",
    'H20': 'select s_name, s_address from supplier join nation on s_nationkey = n_nationkey where n_name = \'CANADA\' and s_suppkey in ('
           "select ps_suppkey from partsupp where ps_partkey in (select p_partkey from part where p_name like 'forest%') and ps_availqty > "
           '(select 0.5 * sum(l_quantity) from lineitem where l_partkey = ps_partkey and l_suppkey = ps_suppkey '
           f"and l_shipdate >= date'1994-01-01' and l_shipdate < {days('1994-01-01', '1 year')})) order by 1",
    'H21': 'select s_name, count(*) from supplier join lineitem l1 on s_suppkey = l1.l_suppkey join orders on o_orderkey = l1.l_orderkey '
           "join nation on s_nationkey = n_nationkey where o_orderstatus = 'F' and l1.l_receiptdate > l1.l_commitdate and n_name = 'SAUDI ARABIA' "
           'and exists (select 1 from lineitem l2 where l2.l_orderkey = l1.l_orderkey and l2.l_suppkey <> l1.l_suppkey) '
           'and not exists (select 1 from lineitem l3 where l3.l_orderkey = l1.l_orderkey and l3.l_suppkey <> l1.l_suppkey '
           'and l3.l_receiptdate > l3.l_commitdate) group by 1 order by 2 desc, 1 limit 100',
    'H22': "select substring(c_phone, 1, 2), count(*), sum(c_acctbal) from customer where substring(c_phone, 1, 2) in ('13', '31', '23', '29', '30', '18', '17') "
           "and c_acctbal > (select avg(c_acctbal) from customer where c_acctbal > 0.00 and substring(c_phone, 1, 2) in ('13', '31', '23', '29', '30', '18', '17')) "
           'and not exists (select 1 from orders where o_custkey = c_custkey) group by 1 order by 1',
}
