package state

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// Finding is something that is not as it must be in a state, or that a person should know.
type Finding struct {
	Rule  string `json:"rule"`
	What  string `json:"what"`
	Fault bool   `json:"fault"` // false for what is well and worth knowing
}

// Check holds the whole file against what must always be true of one: SQLite's own check, its
// keys, and what an auditor relies on. An error is of a file that cannot be read at all.
func (c Copy) Check(ctx context.Context) (list []Finding, err error) {
	s, err := open(c.Path, "mode=ro", nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, look := range []func(context.Context) ([]Finding, error){s.checkFile, s.checkKeys, s.checkRules, s.checkPlans} {
		found, err := look(ctx)
		if err != nil {
			return nil, fmt.Errorf("state %s: checking: %w", c.Path, explain(err))
		}
		list = append(list, found...)
	}
	return list, nil
}

func (s *Store) checkFile(ctx context.Context) ([]Finding, error) {
	said, err := texts(ctx, s.db, "SELECT integrity_check FROM pragma_integrity_check")
	if len(said) == 1 && said[0] == "ok" {
		said = nil
	}
	return faults("the file is whole", said), err
}

func (s *Store) checkKeys(ctx context.Context) ([]Finding, error) {
	said, err := texts(ctx, s.db, `SELECT "table" || ' row ' || coalesce(rowid, '?') || ' names a row of ' || parent || ' that is not there' FROM pragma_foreign_key_check`)
	return faults("keys lead to rows", said), err
}

func faults(rule string, said []string) (list []Finding) {
	for _, what := range said {
		list = append(list, Finding{rule, what, true})
	}
	return list
}

// rule is an invariant: its query gives a line for each row that breaks it.
type rule struct {
	name, query string
	note        bool // worth knowing, and no fault
}

// rules are what holds for every state that ajlo wrote. Numbers are those of ARCHITECTURE.md.
var rules = []rule{
	{name: "the lease is of a run at work", query: `SELECT 'run ' || l.run_id || ' holds the lease and ended with ' || r.outcome FROM lease l JOIN runs r ON r.id = l.run_id WHERE r.outcome IS NOT NULL`},
	{name: "at most one run is at work", query: `SELECT count(*) || ' runs have not ended' FROM runs WHERE outcome IS NULL HAVING count(*) > 1`},
	{name: "attempts of a night count up", query: `SELECT 'night ' || night || ' has ' || count(*) || ' runs and its last is attempt ' || max(attempt) FROM runs GROUP BY night HAVING count(*) <> max(attempt)`},
	{name: "a run has a window", query: `SELECT 'run ' || id FROM runs WHERE id NOT IN (SELECT run_id FROM windows)`},
	{name: "a run is of the night its window ends in", query: `SELECT 'run ' || r.id || ' is of night ' || r.night || ', its window ends on ' || date(w.end_us / 1000000, 'unixepoch') FROM runs r JOIN windows w ON w.run_id = r.id WHERE r.night <> date(w.end_us / 1000000, 'unixepoch')`},
	{name: "applied is every step", query: `SELECT 'run ' || r.id || ': step ' || (s.step + 1) || ' of ' || s.table_name || ' is ' || s.status FROM runs r JOIN steps s ON s.run_id = r.id WHERE r.outcome = 'applied' AND s.status <> 'applied'`},
	{name: "a run that ended has no running step", query: `SELECT 'run ' || r.id || ': step ' || (s.step + 1) || ' of ' || s.table_name FROM runs r JOIN steps s ON s.run_id = r.id WHERE r.outcome IS NOT NULL AND s.status = 'running'`},
	{name: "a dry run changes nothing (rule 3)", query: `SELECT 'run ' || r.id || ': step ' || (s.step + 1) || ' of ' || s.table_name || ' changed it' FROM runs r JOIN steps s ON s.run_id = r.id WHERE r.dry_run = 1 AND s.changed = 1`},
	{name: "rows taken out equal rows put in (rule 1)", query: `SELECT 'run ' || run_id || ': step ' || (step + 1) || ' of ' || table_name FROM steps WHERE status = 'applied' AND answer IS NOT NULL AND json_extract(answer, '$.rows_removed') IS NOT json_extract(answer, '$.rows_added')`},
	{name: "a change has its version", query: `SELECT 'run ' || run_id || ': step ' || (step + 1) || ' of ' || table_name FROM steps WHERE changed = 1 AND version IS NULL`},
	{name: "budgets are hard (rule 2)", query: `SELECT 'run ' || s.run_id || ' rewrote ' || sum(s.bytes_removed) || ' bytes by ' || s.kind || ', the budget is ' || max(iif(s.kind = 'upkeep', p.upkeep_budget_bytes, p.budget_bytes))
		FROM steps s JOIN plans p ON p.run_id = s.run_id WHERE s.status = 'applied' AND s.changed = 1 AND s.kind IN ('rekey', 'upkeep')
		GROUP BY s.run_id, s.kind HAVING sum(s.bytes_removed) > max(iif(s.kind = 'upkeep', p.upkeep_budget_bytes, p.budget_bytes))`},
	{name: "a change is of a run that is there whole", query: `SELECT 'run ' || r.id || ' was pruned and changed a table' FROM runs r WHERE r.pruned_us IS NOT NULL AND EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND s.changed = 1)`},
	{name: "files of dead steps", note: true, query: `SELECT 'run ' || f.run_id || ': ' || count(*) || ' files at ' || f.location || ' are looked at by the next run' FROM files f JOIN runs r ON r.id = f.run_id WHERE f.state = 'pending' AND r.outcome IS NOT NULL GROUP BY f.run_id, f.location`},
	{name: "a clock went back", note: true, query: `SELECT 'run ' || id || ' ended before it began' FROM runs WHERE finished_us < started_us`},
	{name: "runs from the tables' histories", note: true, query: `SELECT count(*) || ' runs were rebuilt: audit_keeping names them' FROM runs WHERE rebuilt_us IS NOT NULL HAVING count(*) > 0`},
	{name: "pruned runs", note: true, query: `SELECT count(*) || ' runs have lost their detail: audit_keeping names them' FROM runs WHERE pruned_us IS NOT NULL HAVING count(*) > 0`},
}

func (s *Store) checkRules(ctx context.Context) (list []Finding, err error) {
	for _, r := range rules {
		said, err := texts(ctx, s.db, r.query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		for _, what := range said {
			list = append(list, Finding{r.name, what, !r.note})
		}
	}
	return list, nil
}

// noPlan stands for the text of a plan that is not here: of a pruned run, or of one that was
// rebuilt and whose plan is lost.
const noPlan = "{}"

// checkPlans holds each plan's text against the hash that approvals and tables name it by.
func (s *Store) checkPlans(ctx context.Context) (list []Finding, err error) {
	const query = `SELECT p.run_id, p.sha256, p.json, r.pruned_us IS NOT NULL OR r.rebuilt_us IS NOT NULL
		FROM plans p JOIN runs r ON r.id = p.run_id ORDER BY r.night, r.attempt`
	_, err = collect(ctx, s.db, func(rows *sql.Rows) (struct{}, error) {
		var run, hash, text string
		var less bool
		if err := rows.Scan(&run, &hash, &text, &less); err != nil {
			return struct{}{}, err
		}
		if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:]) != hash && !(less && text == noPlan) {
			list = append(list, Finding{"a plan is the one that its hash names", "run " + run + ": the text has another SHA-256 than " + hash, true})
		}
		return struct{}{}, nil
	}, query)
	if err != nil {
		return nil, err
	}
	said, err := texts(ctx, s.db, `SELECT 'run ' || p.run_id || ': the plan has ' || json_array_length(p.json, '$.steps') || ' steps, the state ' || (SELECT count(*) FROM steps s WHERE s.run_id = p.run_id)
		FROM plans p WHERE p.json <> '{}' AND json_valid(p.json) AND json_array_length(p.json, '$.steps') <> (SELECT count(*) FROM steps s WHERE s.run_id = p.run_id)`)
	return append(list, faults("a plan's steps are all recorded", said)...), err
}

// Gaps names the versions of a state in object storage that somebody deleted from among those that
// are kept.
func (at Stored) Gaps(ctx context.Context) (list []Finding, err error) {
	v := &versions{Stored: at}
	last := int64(0)
	for version, err := range v.list(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("state %s: listing its versions: %w", at.url(), err)
		}
		if last > 0 && version != last+1 {
			list = append(list, Finding{"versions follow each other", fmt.Sprintf("after %s comes %s", v.key(last), v.key(version)), true})
		}
		last = version
	}
	if last == 0 {
		return nil, fmt.Errorf("state %s: no such state (%w)", at.url(), fs.ErrNotExist)
	}
	return list, nil
}
