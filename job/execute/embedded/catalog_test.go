package embedded_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// knows is a catalog that only tells where tables are, or that does not answer.
type knows struct {
	name  table.Name
	fault error
}

func (knows) Name() string { return "thrift://metastore" }

func (k knows) Locate(_ context.Context, name table.Name) (table.Location, bool, error) {
	return "/elsewhere", name == k.name, k.fault
}

// The folder of a table that a catalog knows is committed to by nobody but the catalog, whatever its files
// are called.
func TestTablesOfCatalogsAreLeftToThem(t *testing.T) {
	folder, err := filepath.Abs("../../iceberg/testdata/kinds")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		catalog knows
		want    string
	}{
		{"known", knows{name: "lake.db.kinds"}, "thrift://metastore alone commits to it"},
		{"silent", knows{fault: errors.New("it hangs")}, "is not known: it hangs"},
		{"of another name", knows{name: "lake.db.others"}, "lists no snapshot of step 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := embedded.New(embedded.Options{NewID: uuid.NewString, Now: time.Now, Catalogs: []embedded.Catalog{tt.catalog}})
			_, err := e.WayBack(t.Context(), plan.Step{Table: "lake.db.kinds", Location: table.Location(folder), Back: &plan.Back{}})
			var refused *execute.Refusal
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
