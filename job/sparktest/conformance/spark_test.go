//go:build spark

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job/sparktest"
)

// question is what one statement must answer about a table. In the statement BEFORE and AFTER
// stand for the table as it was made and as it is.
type question struct {
	of        *made
	statement string
	fault     func(sparktest.Rows) string // what is wrong with the answer, "" where nothing is
}

// ask asks Spark all questions at once; faults fail the test.
func (s *suite) ask(questions []question) {
	s.Helper()
	statements := make([]string, len(questions))
	for i, q := range questions {
		statements[i] = strings.NewReplacer("BEFORE", quoted(q.of.before), "AFTER", quoted(q.of.after)).Replace(q.statement)
	}
	answers, err := s.spark.All(s.Context(), statements)
	if err != nil {
		s.Fatal(err)
	}
	if len(answers) != len(questions) {
		s.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	for i, a := range answers {
		fault := a.Error
		if fault == "" {
			fault = questions[i].fault(a.Rows)
		}
		if fault != "" {
			s.Errorf("%s: %s: %s", questions[i].of.Name, questions[i].statement, fault)
		}
	}
}

// quoted is a path as Spark's SQL names a table by it.
func quoted(dir string) string { return "delta.`" + strings.ReplaceAll(dir, "`", "``") + "`" }

// none is the fault of an answer that counts what must not be.
func none(rows sparktest.Rows) string {
	if n := fmt.Sprint(rows.Rows[0][0]); n != "0" {
		return n + ", want 0"
	}
	return ""
}

// anything is no fault.
func anything(sparktest.Rows) string { return "" }

// texts gives the rows of both tables as texts in which everything shows: NaN, the sign of
// zero, microseconds; %s adds columns. n is 1 for a row of before and -1 for one of after.
const texts = "SELECT to_json(struct(*%s), map('ignoreNullFields', 'false'," +
	" 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS', 'timestampNTZFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS')) j, %s n FROM %s"

// differing counts the texts that one table has more often than the other.
func differing(more string) string {
	return fmt.Sprintf("SELECT count(*) FROM (SELECT j FROM (%s UNION ALL %s) GROUP BY j HAVING sum(n) <> 0)",
		fmt.Sprintf(texts, more, "1", "BEFORE"), fmt.Sprintf(texts, more, "-1", "AFTER"))
}

// exceptAll counts the rows that one table has more often than the other as Spark compares
// rows; maps it cannot compare.
func (m *made) exceptAll() string {
	if m.asks("maps") {
		return differing("")
	}
	return "SELECT count(*) FROM ((SELECT * FROM BEFORE EXCEPT ALL SELECT * FROM AFTER) UNION ALL (SELECT * FROM AFTER EXCEPT ALL SELECT * FROM BEFORE))"
}

// readBySpark holds that Spark reads the rows it read before, to the last bit.
func (s *suite) readBySpark() {
	var questions []question
	for i := range s.tables {
		m := &s.tables[i]
		if m.asks("checkpoint") {
			onlyCheckpoint(s.T, *m)
		}
		questions = append(questions, question{m, differing(""), none})
	}
	s.ask(questions)
	s.Logf("Spark compared the rows of %d tables", len(s.tables))
}

// onlyCheckpoint takes away all of the log that the rewrite's checkpoint stands for, so that
// it has to be read.
func onlyCheckpoint(t *testing.T, m made) {
	t.Helper()
	for v := range m.version {
		for _, name := range []string{"%020d.json", "%020d.crc", "%020d.checkpoint.parquet"} {
			err := os.Remove(filepath.Join(m.after, "_delta_log", fmt.Sprintf(name, v)))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(m.after, "_delta_log", fmt.Sprintf("%020d.checkpoint.parquet", m.version))); err != nil {
		t.Fatal(err)
	}
}

// workOn holds that Spark goes on with the rewritten tables: their history, what some features
// are for, and OPTIMIZE, after which the rows are still the same as Spark compares them.
func (s *suite) workOn() {
	var first, second, optimize, again []question
	for i := range s.tables {
		m := &s.tables[i]
		if !m.changed {
			continue
		}
		first = append(first, question{m, "DESCRIBE HISTORY AFTER LIMIT 1", m.historyFault})
		first = append(first, m.features()...)
		if m.asks("identity") {
			first = append(first, question{m, "INSERT INTO AFTER (id) VALUES (-1), (-2)", anything})
			second = append(second, question{m, "SELECT count(*) - count(DISTINCT g) FROM AFTER", none})
			continue
		}
		optimize = append(optimize, question{m, "OPTIMIZE AFTER", m.optimizeFault})
		again = append(again, question{m, m.exceptAll(), none})
	}
	for _, questions := range [][]question{first, second, optimize, again} {
		s.ask(questions)
	}
	s.Logf("Spark told the history of %d tables and optimized %d", len(optimize)+len(second), len(optimize))
}

// features asks what the rewrite of a table that has them must not have touched: the id and the
// version of each row, and what those are told who follow the changes.
func (m *made) features() (questions []question) {
	if m.asks("tracked") {
		questions = append(questions,
			question{m, differing(", _metadata.row_id AS `row id`, _metadata.row_commit_version AS `row version`"), none},
			question{m, "SELECT count(*) - count(DISTINCT _metadata.row_id) FROM AFTER", none})
	}
	if m.asks("feed") {
		questions = append(questions, question{m, fmt.Sprintf("SELECT count(*) FROM table_changes_by_path('%s', %d)", m.after, m.version), none})
	}
	return questions
}

// historyFault is what the table's history does not say of the rewrite: what it was, and by
// what plan.
func (m *made) historyFault(rows sparktest.Rows) string {
	said := map[string]any{}
	for i, name := range rows.Columns {
		said[name] = rows.Rows[0][i]
	}
	if said["operation"] != "OPTIMIZE" || !strings.Contains(fmt.Sprint(said["userMetadata"]), "plan_sha256") || fmt.Sprint(said["version"]) != fmt.Sprint(m.version) {
		return fmt.Sprint(said)
	}
	return ""
}

// optimizeFault is that Spark's OPTIMIZE rewrote a table that is clustered by its own keys.
func (m *made) optimizeFault(rows sparktest.Rows) string {
	var metrics struct{ NumFilesRemoved, NumFilesAdded int64 }
	text, err := json.Marshal(rows.Rows[0][1])
	if err == nil {
		err = json.Unmarshal(text, &metrics)
	}
	if err != nil {
		return err.Error()
	}
	if m.asks("clustered") && (metrics.NumFilesRemoved != 0 || metrics.NumFilesAdded != 0) {
		return fmt.Sprintf("Spark rewrites a table that is clustered: %+v", metrics)
	}
	return ""
}
