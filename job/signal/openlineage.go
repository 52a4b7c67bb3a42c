package signal

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"ajlo/job/object"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// eventSchema is the version of the specification that events follow.
const eventSchema = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"

// facetSchemas are the versions of the facets that events carry, by their names.
const facetSchemas = "https://openlineage.io/spec/facets/"

// EventType is a moment in the life of what an event tells of.
type EventType string

// The moments: it began, it did what it was to do, it did not, or there was nothing left to fail.
const (
	Start    EventType = "START"
	Complete EventType = "COMPLETE"
	Fail     EventType = "FAIL"
	Abort    EventType = "ABORT"
)

// event is one OpenLineage run event.
type event struct {
	Type      EventType `json:"eventType"`
	Time      time.Time `json:"eventTime"`
	Producer  string    `json:"producer"`
	SchemaURL string    `json:"schemaURL"`
	Run       eventRun  `json:"run"`
	Job       eventJob  `json:"job"`
	Inputs    []dataset `json:"inputs"`
	Outputs   []dataset `json:"outputs"`
}

type eventRun struct {
	ID     string `json:"runId"`
	Facets facets `json:"facets,omitempty"`
}

type eventJob struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Facets    facets `json:"facets,omitempty"`
}

type dataset struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Facets    facets `json:"facets,omitempty"`
	Output    facets `json:"outputFacets,omitempty"`
}

type facets map[string]map[string]any

// lineage makes the events of one lake.
type lineage struct {
	lake     string // the namespace of its jobs
	producer string
}

// nightJob is what a run is called; a step is called after it and its table.
const nightJob = "ajlo"

// ofRun is an event of a whole run.
func (l lineage) ofRun(kind EventType, at time.Time, r Run) event {
	e := l.event(kind, at, runID(r.ID), nightJob, "JOB")
	e.Run.Facets["nominalTime"] = l.facet("1-0-1/NominalTimeRunFacet.json", map[string]any{
		"nominalStartTime": r.Window[0].UTC(), "nominalEndTime": r.Window[1].UTC()})
	if kind == Fail || kind == Abort {
		e.Run.Facets["errorMessage"] = l.failure(r.Error)
	}
	return e
}

// ofStep is an event of a step: a job of its own below its run, which reads and writes one table.
func (l lineage) ofStep(kind EventType, at time.Time, r Run, s Step) event {
	e := l.event(kind, at, stepID(r.ID, s.Number), nightJob+"."+string(s.Table), "TASK")
	e.Run.Facets["parent"] = l.facet("1-2-0/ParentRunFacet.json", map[string]any{
		"run": map[string]any{"runId": runID(r.ID)}, "job": map[string]any{"namespace": l.lake, "name": nightJob}})
	in, out := l.dataset(s), l.dataset(s)
	switch kind {
	case Fail, Abort:
		e.Run.Facets["errorMessage"] = l.failure(s.Error)
	case Complete:
		l.written(&out, s.Version, s.Rows, s.BytesAdded, s.FilesAdded)
	}
	e.Inputs, e.Outputs = []dataset{in}, []dataset{out}
	return e
}

// written says of a table which version was committed and what was written for it.
func (l lineage) written(out *dataset, version, rows int64, bytes unit.Bytes, files int) {
	out.Facets["version"] = l.facet("1-0-1/DatasetVersionDatasetFacet.json", map[string]any{"datasetVersion": jsonNumber(version)})
	out.Output = facets{"outputStatistics": l.facet("1-0-2/OutputStatisticsOutputDatasetFacet.json", map[string]any{
		"rowCount": rows, "size": int64(bytes), "fileCount": files})}
}

func jsonNumber(n int64) string {
	text, err := json.Marshal(n)
	if err != nil {
		return "" // a whole number always has JSON
	}
	return string(text)
}

func (l lineage) event(kind EventType, at time.Time, run, job, jobType string) event {
	return event{
		Type: kind, Time: at.UTC(), Producer: l.producer, SchemaURL: eventSchema, Inputs: []dataset{}, Outputs: []dataset{},
		Run: eventRun{run, facets{}},
		Job: eventJob{l.lake, job, facets{"jobType": l.facet("2-0-4/JobTypeJobFacet.json", map[string]any{
			"processingType": "BATCH", "integration": "AJLO", "jobType": jobType})}},
	}
}

func (l lineage) facet(schema string, fields map[string]any) map[string]any {
	name := strings.TrimSuffix(schema[strings.IndexByte(schema, '/')+1:], ".json")
	fields["_producer"], fields["_schemaURL"] = l.producer, facetSchemas+schema+"#/$defs/"+name
	return fields
}

func (l lineage) failure(text string) map[string]any {
	return l.facet("1-0-1/ErrorMessageRunFacet.json", map[string]any{"message": text, "programmingLanguage": "GO"})
}

// dataset is a table by the specification's names: a place in storage, with the table's name as
// another way to call it.
func (l lineage) dataset(s Step) dataset {
	namespace, name := place(s.Location)
	d := dataset{Namespace: namespace, Name: name, Facets: facets{}}
	if string(s.Table) != string(s.Location) {
		d.Facets["symlinks"] = l.facet("1-0-1/SymlinksDatasetFacet.json", map[string]any{
			"identifiers": []map[string]any{{"namespace": l.lake, "name": string(s.Table), "type": "TABLE"}}})
	}
	return d
}

// place parts a location into the specification's namespace and name.
func place(at table.Location) (namespace, name string) {
	if object.IsLocal(string(at)) {
		return "file", string(at)
	}
	u, err := url.Parse(string(at))
	if err != nil || u.Path == "" {
		return "file", string(at)
	}
	return u.Scheme + "://" + u.Host, strings.TrimPrefix(u.Path, "/")
}

// runID is the run's own id where that is a UUID, which ids of ajlo are.
func runID(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(id)).String()
}

// stepID is the same each time it is asked for.
func stepID(run string, step int) string {
	return uuid.NewSHA1(uuid.MustParse(runID(run)), []byte(jsonNumber(int64(step)))).String()
}
