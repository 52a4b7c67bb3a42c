package remote

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ajlo/job/iceberg"
)

// tableAt is a table of two snapshots whose branch keeps snapshots for a while, with one of them current.
func tableAt(snapshot int64, properties map[string]any) map[string]any {
	meta := emptyTable("s3://lake/db/orders")
	snapshots := []any{}
	for _, id := range []int64{1, 2} {
		snapshots = append(snapshots, map[string]any{"snapshot-id": id, "timestamp-ms": id, "sequence-number": id, "schema-id": 0, "manifest-list": "s3://lake/m", "summary": map[string]any{"operation": "replace"}})
	}
	meta["snapshots"], meta["current-snapshot-id"], meta["properties"], meta["last-sequence-number"] = snapshots, snapshot, properties, 2
	meta["refs"] = map[string]any{"main": map[string]any{"snapshot-id": snapshot, "type": "branch", "max-snapshot-age-ms": 777}}
	return meta
}

// A rollback is one commit, on condition of the table and its snapshot; where no answer comes the table tells.
func TestRollBack(t *testing.T) {
	const stamp = "a stamp"
	for _, tt := range []struct {
		name   string
		code   int  // that the commit is answered with
		done   bool // the commit was made all the same
		uuid   string
		moved  bool
		failed bool
	}{
		{name: "answered", code: http.StatusOK, done: true},
		{name: "others were faster", code: http.StatusConflict, moved: true, failed: true},
		{name: "the answer was lost", code: http.StatusBadGateway, done: true},
		{name: "neither answered nor made", code: http.StatusBadGateway, failed: true},
		{name: "another table of that name", code: http.StatusOK, uuid: "11111111-03fe-4693-9a96-a0705ddf69c1", failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, said := tableAt(2, map[string]any{"gone": "x", "stays": "y"}), ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				value := map[string]any{"metadata-location": "s3://lake/db/orders/metadata/1.metadata.json"}
				switch {
				case strings.HasSuffix(r.URL.Path, "/v1/config"):
					value = map[string]any{"defaults": map[string]any{}, "overrides": map[string]any{}}
				case r.Method == http.MethodPost:
					var body struct {
						Requirements, Updates json.RawMessage
					}
					if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
						t.Error(err)
					}
					said = string(body.Requirements) + string(body.Updates)
					if tt.done {
						now = tableAt(1, map[string]any{"stays": "y", iceberg.RollbackKey: stamp})
					}
					w.WriteHeader(tt.code)
					if tt.code != http.StatusOK {
						value = map[string]any{"error": map[string]any{"message": "no", "type": "CommitFailedException", "code": tt.code}}
					}
				}
				if value["metadata-location"] != nil {
					value["metadata"] = now
				}
				if err := json.NewEncoder(w).Encode(value); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			r := &REST{Catalog: "lake", URI: server.URL, Limit: 10 * time.Second}
			read := iceberg.Snapshot{UUID: "9c12d441-03fe-4693-9a96-a0705ddf69c1", ID: 2}
			if tt.uuid != "" {
				read.UUID = tt.uuid
			}
			err := r.RollBack(t.Context(), "lake.db.orders", read, 1, map[string]string{iceberg.RollbackKey: stamp, "gone": "", "never there": ""})
			if (err != nil) != tt.failed || errors.Is(err, iceberg.ErrMoved) != tt.moved {
				t.Fatalf("%v, of others %t", err, errors.Is(err, iceberg.ErrMoved))
			}
			if tt.uuid != "" {
				if said != "" {
					t.Errorf("said %s", said)
				}
				return
			}
			for _, want := range []string{read.UUID, `"assert-ref-snapshot-id"`, `"snapshot-id":2`, `"snapshot-id":1`, `"max-snapshot-age-ms":777`, `["gone"]`, stamp} {
				if !strings.Contains(said, want) {
					t.Errorf("the commit does not say %s: %s", want, said)
				}
			}
		})
	}
}
