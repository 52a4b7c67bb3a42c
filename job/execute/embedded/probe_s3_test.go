//go:build s3

package embedded_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ajlo/job/bucket/buckettest"
	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/layout"
)

// Rule 4: a server that ignores the condition is found out before anything is written to a table.
func TestServersThatIgnoreConditions(t *testing.T) {
	server := buckettest.Start(t)
	at, _ := madeByDeltaRS(t, server.Bucket+"/items")
	put := buckettest.Forgetful(t, server)
	store := opened(t, at)
	step, err := stepOn(t.Context(), at, store, layout.ClusteredBy(layout.Sort, "k"))
	if err != nil {
		t.Fatal(err)
	}
	before := objects(t, store, "")
	e := engineWith(config.Conditional)
	_, applied := e.Apply(t.Context(), step, allowing{})
	for _, err := range []error{applied, e.Check(t.Context(), step)} {
		var refusal *execute.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "ignores the condition (If-None-Match)") {
			t.Errorf("got %v, want a refusal", err)
		}
	}
	if after := objects(t, store, ""); !slices.Equal(before, after) {
		t.Errorf("objects before %v, after %v", before, after)
	}
	if len(*put) != 2 || (*put)[0] != (*put)[1] || !strings.HasPrefix((*put)[0], "/lake/items/_ajlo/probe-") {
		t.Errorf("put %v, want one object of the engine's own, twice", *put)
	}
	checkRows(t, at, numbered(0, 200), 0)
}

// A server that keeps the condition is asked once, and nothing of that stays.
func TestServersThatKeepConditions(t *testing.T) {
	at, store := madeByDeltaRS(t, buckettest.Start(t).Bucket+"/items")
	e := engineWith(config.Conditional)
	for _, order := range []layout.Order{layout.Sort, layout.Hilbert} {
		step, err := stepOn(t.Context(), at, store, layout.ClusteredBy(order, "id", "k"))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		if r, err := e.Apply(t.Context(), step, allowing{}); err != nil || !r.Changed {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if left := objects(t, store, "_ajlo/"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	checkRows(t, at, numbered(0, 200), 0)
}
