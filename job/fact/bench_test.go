package fact

import (
	"os"
	"path/filepath"
	"testing"

	"ajlo/job/eventlog"
)

// BenchmarkExtract makes facts of the events of the testdata's log, without reading them.
func BenchmarkExtract(b *testing.B) {
	name, err := filepath.Glob("../../testdata/spark40-delta/eventlogs/*/events_1_*")
	if err != nil || len(name) != 1 {
		b.Fatalf("log: %v, %v", name, err)
	}
	folder, file := filepath.Split(name[0])
	var events []eventlog.Event
	var r eventlog.Reading
	for e, err := range eventlog.Events(b.Context(), os.DirFS(folder), eventlog.Application{ID: "a", Parts: []string{file}}, &r) {
		if err != nil {
			b.Fatal(err)
		}
		events = append(events, e)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := Extract(func(yield func(eventlog.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
