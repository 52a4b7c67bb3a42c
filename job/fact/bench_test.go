package fact

import (
	"os"
	"testing"

	"ajlo/job/eventlog"
)

// BenchmarkExtract makes facts of the events of the testdata's log, without reading them.
func BenchmarkExtract(b *testing.B) {
	events := eventsOf(b, "../../testdata/spark40-delta/eventlogs")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Extract(stream(events...)); err != nil {
			b.Fatal(err)
		}
	}
}

// eventsOf are the events of the only log in a folder.
func eventsOf(t testing.TB, folder string) (events []eventlog.Event) {
	t.Helper()
	fsys := os.DirFS(folder)
	found, err := eventlog.Find(fsys, ".")
	if err != nil || len(found) != 1 {
		t.Fatalf("find: %v, %d applications", err, len(found))
	}
	var r eventlog.Reading
	for e, err := range eventlog.Events(t.Context(), fsys, found[0], &r) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}
