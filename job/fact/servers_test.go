package fact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A statement as a log of a server or shell has it, with what it joins.
type served struct {
	SQL   string
	Joins []string
}

// The two statements that every server was given, over the fixture's tables of nations,
// suppliers and customers.
var (
	ofSuppliers = served{"select n_name, count(*) from nation join supplier on n_nationkey = s_nationkey where n_regionkey = 2 group by n_name",
		[]string{"inner SortMergeJoin default.nation.n_nationkey=default.supplier.s_nationkey"}}
	ofNations   = []string{"inner SortMergeJoin default.supplier.s_nationkey=default.nation.n_nationkey"}
	ofCustomers = []string{"inner SortMergeJoin default.customer.c_nationkey=default.nation.n_nationkey"}
)

const (
	customersWhole = "select count(*) -- of the customer's nation\nfrom customer c join nation n on c.c_nationkey = n.n_nationkey where c.c_acctbal > 9000"
	// beeline takes comments out.
	customersBare = "select count(*)\nfrom customer c join nation n on c.c_nationkey = n.n_nationkey where c.c_acctbal > 9000"
)

// SQL of real servers and shells: Spark's Thrift server, spark-sql and Spark Connect.
func TestStatementsOfServers(t *testing.T) {
	tests := []struct {
		log  string
		want []served
	}{
		{"spark357-sql", []served{ofSuppliers, {customersWhole, ofCustomers}}},
		{"spark357-thrift", []served{ofSuppliers, {customersBare, ofCustomers}}},
		{"spark402-sql", []served{ofSuppliers, {customersWhole, ofCustomers}}},
		{"spark402-connect", []served{
			ofSuppliers, {customersWhole, ofCustomers},
			{"select count(*) from supplier join nation on s_nationkey = n_nationkey where n_name <> 'Österreich \"9\"' -- " + strings.Repeat("long ", 300) +
				"\n or n_name like 'a\\tb'", ofNations},
			{"", []string{}}, {"", ofNations}, // DataFrames, one of them over a statement
		}},
		{"spark402-thrift", []served{ofSuppliers, {customersBare, ofCustomers}}},
	}
	for _, tt := range tests {
		t.Run(tt.log, func(t *testing.T) {
			var got []served
			for _, q := range readLog(t, tt.log).Queries {
				got = append(got, served{q.SQL, spellJoins(q.Joins)})
				if q.Lost != (Lost{}) {
					t.Errorf("%s: lost %+v", q.SQL, q.Lost)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
