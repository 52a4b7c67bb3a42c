package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// A day of calls is callFiles files of callRows rows in order of arrival.
const callFiles, callRows = 64, 40

// firstCallDay is 2026-11-28: the window of input ends two days later, so that of a table of
// three days the last is open.
const firstCallDay, closedDays = 20_785, 2

const callTable = "lake.tele.calls"

// calls are call records by days, whose numbers have nothing to do with the time.
func calls(days int) plan.TableInput {
	r := rand.New(rand.NewPCG(1, 2))
	t := plan.TableInput{Names: []table.Name{callTable}, Snapshot: lake.Snapshot{
		Table: callTable, Location: "/lake/tele/calls", Format: lake.Iceberg, Version: 7, SchemaHash: "h", Owner: "none",
		Protocol: lake.Protocol{MinReader: 2, MinWriter: 2}, Layout: layout.Unordered(),
		Parts: []lake.Part{{Name: "day(started)", Source: "started", Transform: "day"}},
		Columns: []lake.Column{{Name: "from_number", Type: "long"}, {Name: "to_number", Type: "long"}, {Name: "started", Type: "timestamp"},
			{Name: "type", Type: "string"}, {Name: "cost", Type: "decimal(9,2)"}, {Name: "cell", Type: "string"}},
	}}
	t.Snapshot.Layout.Partition = []table.Column{"day(started)"}
	t.Sample.Columns = []table.Column{"from_number", "to_number", "started", "type", "cost", "day(started)"}
	t.Sample.Values = make([][]predicate.Value, len(t.Sample.Columns))
	for day := range days {
		for number := range callFiles {
			addCalls(&t, r, day, number)
		}
	}
	return t
}

// addCalls adds a file, and its rows to the sample where its day is over.
func addCalls(t *plan.TableInput, r *rand.Rand, day, number int) {
	f := lake.File{Path: fmt.Sprint(day, "/", number), Bytes: 1000, Rows: callRows, Bounds: map[table.Column]prune.Bounds{
		"cell": {Min: predicate.StringValue("cell-of-the-nort"), Max: predicate.StringValue("cell-of-the-nort"), Rows: callRows},
	}}
	for i := range callRows {
		second := int64(firstCallDay+day)*86_400 + int64(number*callRows+i)
		row := []predicate.Value{
			predicate.IntValue(r.Int64N(1 << 30)), predicate.IntValue(r.Int64N(1 << 30)), predicate.TimestampValue(second * 1e6),
			predicate.StringValue([]string{"voice", "text", "data"}[r.IntN(3)]), predicate.DecimalValue(r.Int64N(10_000), 2),
			predicate.DateValue(int64(firstCallDay + day)),
		}
		for c, v := range row {
			widen(f.Bounds, t.Sample.Columns[c], v)
			if day < closedDays {
				t.Sample.Values[c] = append(t.Sample.Values[c], v)
			}
		}
	}
	if day < closedDays {
		t.Sample.Population += callRows
	}
	t.Snapshot.Files = append(t.Snapshot.Files, f)
}

func widen(bounds map[table.Column]prune.Bounds, c table.Column, v predicate.Value) {
	b, ok := bounds[c]
	if !ok {
		b = prune.Bounds{Min: v, Max: v, Rows: callRows}
	}
	if predicate.Order(v, b.Min) < 0 {
		b.Min = v
	}
	if predicate.Order(v, b.Max) > 0 {
		b.Max = v
	}
	bounds[c] = b
}

// lookUps are queries for single values of a column of the calls.
func lookUps(in *plan.Input, c table.Column, values ...predicate.Value) {
	for _, v := range values {
		in.Queries = append(in.Queries, scan("by "+string(c), callTable, &predicate.Predicate{Op: predicate.Eq, Column: c, Values: []predicate.Value{v}}))
	}
}

func numbers(seed uint64) (list []predicate.Value) {
	r := rand.New(rand.NewPCG(seed, 3))
	for range 20 {
		list = append(list, predicate.IntValue(r.Int64N(1<<30)))
	}
	return list
}

func onCalls(t plan.TableInput) plan.Input {
	in := input(t)
	in.Queries, in.Settings.Engine = nil, "sparksql"
	return in
}

func day(n int) time.Time { return time.Date(2026, 11, 28+n, 0, 0, 0, 0, time.UTC) }

func callDays(from, to int) []layout.Period {
	return []layout.Period{{Column: "started", Type: "timestamp", From: day(from), To: day(to)}}
}

func TestIcebergKeysFollowTheLookUps(t *testing.T) {
	for _, tc := range []struct {
		name string
		ask  func(*plan.Input)
		want string // keys of the chosen layout, "" for none
		told string // by some candidate, or by the table
	}{
		{"both numbers: z-order", func(in *plan.Input) {
			lookUps(in, "from_number", numbers(1)...)
			lookUps(in, "to_number", numbers(2)...)
		}, "zorder(from_number, to_number)", "chosen"},
		{"one number: sort", func(in *plan.Input) { lookUps(in, "from_number", numbers(1)...) }, "sort(from_number)", "chosen"},
		{"few values", func(in *plan.Input) {
			lookUps(in, "type", predicate.StringValue("voice"), predicate.StringValue("data"))
		}, "",
			"refused: it has 3 different values"},
		{"the time that parts the table", func(in *plan.Input) {
			lookUps(in, "started", predicate.TimestampValue(int64(firstCallDay)*86_400*1e6))
		}, "", "refused: the table is parted by its time already: day(started)"},
		{"a prefix longer than bounds", func(in *plan.Input) { lookUps(in, "cell", predicate.StringValue("cell-of-the-north-1")) }, "",
			"refused: its values share their first 16 characters, and bounds keep no more: set write.metadata.metrics.column.cell=full first"},
		{"no z-order by decimals", func(in *plan.Input) {
			lookUps(in, "from_number", numbers(1)...)
			lookUps(in, "cost", predicate.DecimalValue(77, 2), predicate.DecimalValue(78, 2))
		}, "sort(from_number)", "refused beside other keys: Iceberg's z-order takes no decimal(9,2)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := onCalls(calls(3))
			tc.ask(&in)
			p := decide(t, in)
			got := p.Tables[0]
			chosen := strings.TrimPrefix(strings.TrimPrefix(got.Chosen.String(), "partitioned(day(started))"), " ")
			if chosen != tc.want {
				t.Errorf("chosen %q, want %q: %s", chosen, tc.want, got.Reason)
			}
			if !slices.ContainsFunc(got.Candidates, func(c plan.Candidate) bool { return strings.Contains(c.Reason, tc.told) }) {
				t.Errorf("no candidate says %q", tc.told)
			}
			if tc.want == "" && len(p.Steps) != 0 {
				t.Errorf("steps %+v", p.Steps)
			}
		})
	}
}

// Half the rows of small files tell nearly as much of a layout as all of them.
func TestSmallFilesAreForetoldFromHalfTheirRows(t *testing.T) {
	in := onCalls(calls(2))
	lookUps(&in, "from_number", numbers(1)...)
	lookUps(&in, "to_number", numbers(2)...)
	whole := decide(t, in).Tables[0]
	for c, values := range in.Tables[0].Sample.Values {
		var half []predicate.Value
		for i := 0; i < len(values); i += 2 {
			half = append(half, values[i])
		}
		in.Tables[0].Sample.Values[c] = half
	}
	got := decide(t, in).Tables[0]
	if diff := cmp.Diff(whole.Chosen, got.Chosen); diff != "" || float64(got.ScannedBytesThen) > 1.1*float64(whole.ScannedBytesThen) {
		t.Errorf("%s reads %s, from all rows %s", got.Chosen, got.ScannedBytesThen, whole.ScannedBytesThen)
	}
}

// Only partitions that are closed get new keys, the newest first as far as the budget goes; what
// stays outside is read as it is.
func TestIcebergKeysAreForClosedPartitions(t *testing.T) {
	for _, tc := range []struct {
		name    string
		days    int
		budget  unit.Bytes
		periods []layout.Period
		rewrite unit.Bytes
	}{
		{"the open day is left", 3, unit.MB, callDays(0, 2), 2 * callFiles * 1000},
		{"a budget for one day", 3, callFiles * 1500, callDays(1, 2), callFiles * 1000},
		{"nothing but closed days", 2, unit.MB, callDays(0, 2), 2 * callFiles * 1000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := onCalls(calls(tc.days))
			in.Settings.Budget = tc.budget
			lookUps(&in, "from_number", numbers(1)...)
			p := decide(t, in)
			if len(p.Steps) != 1 {
				t.Fatalf("steps %+v: %s", p.Steps, p.Tables[0].Reason)
			}
			step := p.Steps[0]
			if diff := cmp.Diff(tc.periods, step.Periods); diff != "" {
				t.Error(diff)
			}
			if step.Expected.Rewrite != tc.rewrite || !strings.Contains(step.Statement, "where => ") || !strings.Contains(step.Undo, "snapshot_id => 7") {
				t.Errorf("step %+v", step)
			}
			left := unit.Bytes(len(in.Queries)) * 1000 * unit.Bytes(tc.days*callFiles) // if each look-up read all
			outside := left - unit.Bytes(len(in.Queries))*tc.rewrite
			if got := step.Expected.ScannedBytesThen; got < outside*9/10 || got > outside+left/10 { // a file's bounds miss one number in twenty
				t.Errorf("reads %s then, of which %s outside", got, outside)
			}
		})
	}
	open := onCalls(calls(3))
	open.Window.End = day(0).Add(time.Hour)
	lookUps(&open, "from_number", numbers(1)...)
	if p := decide(t, open); len(p.Steps) != 0 || !strings.Contains(p.Tables[0].Reason, "closed yet") {
		t.Errorf("%s: %+v", p.Tables[0].Reason, p.Steps)
	}
}

// Upkeep takes the closed partition that came in since, alone, and nothing when there is none.
func TestIcebergUpkeepTakesTheClosedDay(t *testing.T) {
	calls := calls(3)
	calls.Snapshot.Owner = "us"
	keys := layout.ClusteredBy(layout.ZOrder, "from_number", "to_number")
	keys.Partition = calls.Snapshot.Layout.Partition
	calls.Snapshot.Layout = keys
	for i := range callFiles {
		calls.Snapshot.Files[i].Laid = true
	}
	in := onCalls(calls)
	in.Trigger.Fired, in.Settings.Upkeep = false, unit.MB
	lookUps(&in, "from_number", numbers(1)...)
	lookUps(&in, "to_number", numbers(2)...)
	in.Tables[0].Mends = plan.Mends(in.Tables[0], in)
	if len(in.Tables[0].Mends) != 1 || len(in.Tables[0].Mends[0].Files) != callFiles {
		t.Fatalf("mends %+v", in.Tables[0].Mends)
	}
	in.Tables[0].Mends[0].Sample = secondDay(calls.Sample)
	p := decide(t, in)
	if len(p.Steps) != 1 {
		t.Fatalf("steps %+v: %+v", p.Steps, p.Tables[0].Decay)
	}
	if diff := cmp.Diff(callDays(1, 2), p.Steps[0].Periods); diff != "" || p.Steps[0].Kind != plan.Upkeep || strings.Contains(p.Steps[0].Statement, "ALTER") {
		t.Errorf("step %+v\n%s", p.Steps[0], diff)
	}
	for i := callFiles; i < 2*callFiles; i++ {
		in.Tables[0].Snapshot.Files[i].Laid = true
	}
	in.Tables[0].Mends = plan.Mends(in.Tables[0], in)
	if p := decide(t, in); len(p.Steps) != 0 || !strings.Contains(p.Tables[0].Decay.Reason, "not closed yet") {
		t.Errorf("the night after: %+v, %s", p.Steps, p.Tables[0].Decay.Reason)
	}
}

func secondDay(s lake.Sample) lake.Sample {
	half := s.Len() / 2
	part := lake.Sample{Columns: s.Columns, Population: s.Population / 2}
	for _, values := range s.Values {
		part.Values = append(part.Values, values[half:])
	}
	return part
}
