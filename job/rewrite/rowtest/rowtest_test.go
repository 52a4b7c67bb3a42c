package rowtest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/rewrite/rowtest"
)

const spark40 = "../testdata/spark40/"

func TestRowsOfSparkTables(t *testing.T) {
	tests := []struct {
		name, table string
		rows        int
		holds       []string // parts of some row, worked out by hand from make.py
	}{
		{"types", "types", 1000, []string{
			"{id=0;a_byte=NULL;a_short=NULL;",
			"a_float=7fc00000;a_double=7ff8000000000000;",
			"a_float=80000000;a_double=8000000000000000;",
			"dec_38_0=99999999999999999999999999999999999999e-0;",
			"dec_38_10=-99999999999999999999999999999999999999e-10;",
			"a_date=-719162;a_timestamp=-62135596800000000;",
			"a_date=2932896;a_timestamp=253402300799999999;",
			`a_binary="\x00\xff\x80";`,
			"times=[253370764800000000,NULL,1,];",
			`{n=2;tags=["t"→["u",NULL,"",],];none=NULL;},NULL,];`,
			"map_of_lists=[1→[[3ff8000000000000,NULL,],NULL,[],],];nothing=NULL;}",
			"ints=[];times=[];a_map=[];nested=[NULL,];",
		}},
		{"ntz", "ntz", 100, []string{"{id=1;local=-62135596800000000;locals=[-1,NULL,];}"}},
		{"evolved", "evolved", 200, []string{
			`{id=0;name="first0";s={a=0;b=NULL;c=NULL;};price=NULL;l=NULL;m=NULL;}`,
			`{id=50;name=NULL;s={a=50;b="b50";c=NULL;};price=4052c00000000000;l=[{p=50;q=NULL;},];m=NULL;}`,
			`{id=100;name="third100";s=NULL;price=NULL;l=[{p=100;q=1577836800000000;},NULL,];m=["k"→{v=100;w=NULL;},];}`,
			`{id=150;name=NULL;s={a=150;b="x";c=[150,];};price=NULL;l=NULL;m=["k"→{v=150;w=1;},];}`,
		}},
		{"strict", "strict", 20, []string{`{id=19;name="n19";}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := rowtest.Rows(spark40 + tt.table)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.rows, len(rows)); diff != "" {
				t.Error(diff)
			}
			all := strings.Join(rows, "\n")
			for _, part := range tt.holds {
				if !strings.Contains(all, part) {
					t.Errorf("no row holds %s", part)
				}
			}
		})
	}
}
