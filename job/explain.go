package job

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/report"
)

// Explain finds one query, named APPLICATION/EXECUTION as facts name it, and reads its log
// again. A query that is in no fact is a *UsageError.
func (o Observer) Explain(ctx context.Context, name string) (report.Explanation, error) {
	app, number, ok := cutLast(name, "/")
	execution, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return report.Explanation{}, &UsageError{fmt.Sprintf("query %q: want APP/EXECUTION, as facts --json prints them", name)}
	}
	logs, err := o.logsOf(ctx, app)
	if err != nil {
		return report.Explanation{}, err
	}
	for _, l := range logs {
		if e, ok, err := o.explain(ctx, l, app, execution); ok || err != nil {
			return e, err
		}
	}
	return report.Explanation{}, &UsageError{fmt.Sprintf("query %s is in no log, or reads and writes no table of a user: facts --json lists app and execution of all that do", name)}
}

// logsOf lists all logs, those first whose name says that they are the application's: what
// the log itself says is known only once it is read.
func (o Observer) logsOf(ctx context.Context, app string) ([]log, error) {
	var named, others []log
	for _, source := range o.Sources {
		logs, err := o.find(ctx, source, time.Time{})
		if err != nil {
			return nil, err
		}
		for _, l := range logs {
			if l.application.ID != "" && strings.HasPrefix(app, l.application.ID) {
				named = append(named, l)
			} else {
				others = append(others, l)
			}
		}
	}
	return append(named, others...), nil
}

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}

// explain looks for the query in one log. What it touched is told from the writes of its own
// application alone.
func (o Observer) explain(ctx context.Context, l log, app string, execution int64) (report.Explanation, bool, error) {
	var account eventlog.Reading
	w := &watcher{root: execution, at: map[int64]int{}}
	facts, notes, err := fact.Explain(w.watch(eventlog.Events(ctx, l.folder, l.application, &account)), execution)
	if err != nil {
		return report.Explanation{}, false, err
	}
	wanted := func(q fact.Query) bool { return q.App == app && q.Execution == execution }
	if !slices.ContainsFunc(facts.Queries, wanted) {
		return report.Explanation{}, false, nil
	}
	queries := o.told(ctx, gather([]reading{{source: l.source, key: l.key(), facts: facts}})).Queries
	slices.SortStableFunc(w.plans, func(a, b report.ExecutedPlan) int { return cmp.Compare(childRank(a), childRank(b)) })
	return report.Explanation{Query: queries[slices.IndexFunc(queries, wanted)], Plans: w.plans, Notes: notes}, true, nil
}

// childRank puts the query's own plan before those of its children.
func childRank(p report.ExecutedPlan) int {
	if p.Root == p.Execution {
		return 0
	}
	return 1
}

// watcher keeps the plans of one query while events pass by.
type watcher struct {
	root  int64
	plans []report.ExecutedPlan
	at    map[int64]int // execution → index of its plan
}

func (w *watcher) watch(events iter.Seq2[eventlog.Event, error]) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for event, err := range events {
			w.see(event)
			if !yield(event, err) {
				return
			}
		}
	}
}

func (w *watcher) see(event eventlog.Event) {
	switch e := event.(type) {
	case eventlog.ExecutionStart:
		if e.Root == w.root || e.Execution == w.root {
			w.at[e.Execution] = len(w.plans)
			w.plans = append(w.plans, report.ExecutedPlan{Execution: e.Execution, Root: e.Root, Text: strings.Clone(e.PlanText)})
		}
	case eventlog.PlanUpdate:
		if i, ok := w.at[e.Execution]; ok && e.PlanText != "" {
			w.plans[i].Text = strings.Clone(e.PlanText)
		}
	}
}
