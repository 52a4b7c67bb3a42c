package layout

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/table"
)

func TestKeysAreReadBack(t *testing.T) {
	want := ClusteredBy(ZOrder, "a", `b"`)
	if got, ok := ParseKeys(want.Keys()); !ok || cmp.Diff(want, got) != "" {
		t.Errorf("%s is read as %+v, %t", want.Keys(), got, ok)
	}
	for _, text := range []string{"", "{}", "zorder(a)", `{"order":"upwards","clustering":["a"]}`, `{"order":"zorder","clustering":[]}`,
		`{"order":"zorder","clustering":["a","b","c","d","e"]}`} {
		if got, ok := ParseKeys(text); ok {
			t.Errorf("%s is read as %s", text, got)
		}
	}
}

func day(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }

func TestJoined(t *testing.T) {
	period := func(from, to int) Period {
		return Period{Column: table.Column("at"), Type: "date", From: day(from), To: day(to)}
	}
	for _, tc := range []struct {
		name       string
		list, want []Period
		scope      string
	}{
		{"none", nil, nil, "table"},
		{"neighbours in any order", []Period{period(3, 4), period(1, 2), period(2, 3)}, []Period{period(1, 4)}, "at from 2026-11-01 to 2026-11-04"},
		{"one inside another", []Period{period(1, 9), period(2, 3)}, []Period{period(1, 9)}, "at from 2026-11-01 to 2026-11-09"},
		{"a gap", []Period{period(5, 6), period(1, 2)}, []Period{period(1, 2), period(5, 6)}, "at from 2026-11-01 to 2026-11-02, at from 2026-11-05 to 2026-11-06"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Joined(tc.list)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if scope := ScopeOf(got); scope != tc.scope {
				t.Errorf("scope %q, want %q", scope, tc.scope)
			}
		})
	}
}
