package dialect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/dialect"
	"ajlo/job/layout"
	"ajlo/job/table"
)

// Whatever a table, its columns and a stamp are called, a text of several statements comes apart
// as it was put together.
func TestStatementsComeApart(t *testing.T) {
	name := rapid.StringOf(rapid.RuneFrom([]rune("a.;`'\"\\-/*\n \té")))
	rapid.Check(t, func(r *rapid.T) {
		target := dialect.Target{Name: table.Name(name.Draw(r, "table")), Location: table.Location("/" + name.Draw(r, "place")), Address: dialect.ByName}
		keys := layout.ClusteredBy(layout.Hilbert, table.Column(name.Draw(r, "column")), "b")
		begin, end := dialect.SparkIceberg{}.Stamp(name.Draw(r, "stamp"), keys)
		want := append([]string{begin, end}, dialect.SparkDelta{MayRaiseProtocol: dialect.RaiseProtocol}.Rekey(target, keys)...)
		target.Address = dialect.ByPath
		want = append(want, dialect.SparkDelta{}.Rekey(target, keys)...)
		text := "-- a comment; of one line\n" + strings.Join(want, "\n-- another's `name\n") + "\n"
		for i := range want {
			want[i] = strings.TrimSuffix(want[i], ";")
		}
		if d := cmp.Diff(want, dialect.Statements(text)); d != "" {
			r.Errorf("%q (-want +got)\n%s", text, d)
		}
	})
}
