//go:build spark || s3

package sparktest

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"ajlo/job/table"
	"ajlo/job/unit"
)

//go:embed sparkd.py
var daemon string

// stopWait is how long Spark gets to end and close its event log before it is killed.
const stopWait = time.Minute

// Options say how a Spark is set up; the zero value is a Spark without event logs whose
// warehouse is a folder of the test.
type Options struct {
	EventLogDir string            // folder for event logs; made by the caller
	Warehouse   string            // absolute path of the folder for tables without a location; with Iceberg also that of its catalog lake
	Conf        map[string]string // further settings; they go before everything else
	Engine      Engine            // the pinned Spark with Delta Lake where it is empty
	// Linking makes commits to tables on a local disk safe beside other processes; as Delta
	// makes them they are not.
	Linking bool
	// S3 is the endpoint of an S3 server that Spark reaches through S3A; the environment has
	// the server's keys and region. Empty for none.
	S3 string
	// Metastore is the URL of a Hive Metastore that keeps the tables of the session's own catalog, and
	// Iceberg's in its catalog lake, which comes with it. Empty for a folder's.
	Metastore string
}

// Spark is one session of a real Spark. Its methods may be called from several goroutines
// and run one after the other.
type Spark struct {
	Version string
	mu      sync.Mutex
	in      io.WriteCloser
	out     *bufio.Scanner
	cmd     *exec.Cmd
	errors  *tail
}

// Start starts a Spark that ends with the test. The test fails at once where none is installed.
func Start(t testing.TB, o Options) *Spark {
	t.Helper()
	at := installedAs(t, o.Engine)
	conf, err := json.Marshal(o.conf(t, at))
	if err != nil {
		t.Fatalf("sparktest: encode settings: %v", err)
	}
	s, err := start(at, t.TempDir(), string(conf))
	if err != nil {
		t.Fatalf("sparktest: start Spark: %v", err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("sparktest: stop Spark: %v", err)
		}
	})
	return s
}

func (o Options) conf(t testing.TB, at installation) map[string]string {
	warehouse := o.Warehouse
	if warehouse == "" {
		warehouse = t.TempDir()
	}
	conf := map[string]string{
		"spark.jars":                           at.jars(t),
		"spark.ui.enabled":                     "false",
		"spark.ui.showConsoleProgress":         "false",
		"spark.driver.memory":                  "2g",
		"spark.sql.warehouse.dir":              warehouse,
		"spark.sql.shuffle.partitions":         "8",
		"spark.sql.autoBroadcastJoinThreshold": "-1", // so that joins shuffle, as on big tables
		"spark.sql.session.timeZone":           "UTC",
		// Delta's 50 tasks for each log replay are most of the time of a query on small tables.
		"spark.databricks.delta.snapshotPartitions": "2",
		"spark.sql.extensions":                      "io.delta.sql.DeltaSparkSessionExtension",
		"spark.sql.catalog.spark_catalog":           "org.apache.spark.sql.delta.catalog.DeltaCatalog",
	}
	if o.Engine == Iceberg {
		delete(conf, "spark.sql.catalog.spark_catalog")
		conf["spark.sql.extensions"] = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
		conf["spark.sql.catalog.lake"] = "org.apache.iceberg.spark.SparkCatalog"
		conf["spark.sql.catalog.lake.type"] = "hadoop"
		conf["spark.sql.catalog.lake.warehouse"] = warehouse
	}
	if o.EventLogDir != "" {
		conf["spark.eventLog.enabled"], conf["spark.eventLog.dir"] = "true", "file://"+o.EventLogDir
	}
	if o.Linking {
		conf["spark.jars"] += "," + at.linkLogStore(t)
		conf["spark.delta.logStore.file.impl"] = "ajlo.LinkLogStore"
	}
	if o.S3 != "" {
		conf["spark.jars"] += "," + at.s3a(t)
		conf["spark.hadoop.fs.s3a.endpoint"] = o.S3
		conf["spark.hadoop.fs.s3a.endpoint.region"] = os.Getenv("AWS_REGION")
		conf["spark.hadoop.fs.s3a.path.style.access"] = "true"
	}
	if o.Metastore != "" {
		conf["spark.jars"] += "," + installedAs(t, Iceberg).jars(t)
		conf["spark.sql.catalogImplementation"] = "hive"
		conf["spark.hadoop.hive.metastore.uris"] = o.Metastore
		conf["spark.sql.extensions"] += ",org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
		conf["spark.sql.catalog.lake"], conf["spark.sql.catalog.lake.type"] = "org.apache.iceberg.spark.SparkCatalog", "hive"
		// Its locks take tables that Derby does not get by itself.
		conf["spark.hadoop.iceberg.engine.hive.lock-enabled"] = "false"
	}
	maps.Copy(conf, o.Conf)
	return conf
}

// start runs the session's process in a folder of its own, where it may leave derby.log.
func start(at installation, dir, conf string) (*Spark, error) {
	s := &Spark{cmd: exec.Command(at.python, "-c", daemon, conf), errors: &tail{}}
	s.cmd.Dir, s.cmd.Stderr, s.cmd.Env = dir, s.errors, at.environment()
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewScanner(out)
	s.out.Buffer(nil, 256<<20) // bytes of one answer; tests ask for no more
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	var hello struct{ Ready string }
	if err := s.receive(&hello); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.Version = hello.Ready
	return s, nil
}

// stop ends the session; one that does not end in time is killed.
func (s *Spark) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	closed := s.in.Close()
	kill := time.AfterFunc(stopWait, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, s.errors)
	}
	return closed
}

// Error is what Spark said against a statement.
type Error struct {
	Class   string // of the Java exception, such as io.delta.exceptions.ConcurrentAppendException
	Message string
}

func (e *Error) Error() string { return e.Message }

// Rows is the answer to a statement. Numbers are json.Number; dates, times and decimals are
// strings as Python prints them.
type Rows struct {
	Columns []string
	Rows    [][]any
}

// SQL runs a statement and gives its rows. What Spark refuses is an *Error.
func (s *Spark) SQL(ctx context.Context, sql string) (Rows, error) {
	var rows Rows
	return rows, s.ask(ctx, map[string]string{"sql": sql}, &rows)
}

// Answer is the answer to one statement of several.
type Answer struct {
	Rows
	Error string // what Spark said against it, "" where it said nothing
	Class string // of the Java exception, then
}

// All runs statements, some of them at the same time, and gives their answers in the same
// order. A statement that Spark refuses does not keep the others from running.
func (s *Spark) All(ctx context.Context, statements []string) ([]Answer, error) {
	var reply struct{ Answers []Answer }
	err := s.ask(ctx, map[string][]string{"all": statements}, &reply)
	return reply.Answers, err
}

// Run runs a Python file in the session: its function run gets the session and the arguments,
// and what it returns, which JSON must be able to say, is put into value.
func (s *Spark) Run(ctx context.Context, value any, file string, arguments ...string) error {
	reply := struct{ Value any }{value}
	return s.ask(ctx, map[string]any{"program": file, "arguments": arguments}, &reply)
}

// ScanRead is what one scan of a query read, by Spark's own metrics.
type ScanRead struct {
	Table    table.Name     // as the catalog names it; empty for a table read by its path
	Location table.Location // without "file:"
	Files    int64          // "number of files read"
	Bytes    unit.Bytes     // "size of files read"
	Rows     int64          // that the scan put out
}

// FilesRead runs a query and gives what each of its file scans read. A scan that a reused
// exchange or subquery stands for was read once and is given once; one that never ran has 0.
func (s *Spark) FilesRead(ctx context.Context, sql string) ([]ScanRead, error) {
	var reply struct{ Scans []ScanRead }
	if err := s.ask(ctx, map[string]string{"scans": sql}, &reply); err != nil {
		return nil, err
	}
	for i, r := range reply.Scans {
		reply.Scans[i].Table, reply.Scans[i].Location = named(r.Table), local(r.Location)
	}
	return reply.Scans, nil
}

// ask sends one request and waits for its answer. Where the context ends first the session is
// killed: half a conversation cannot be gone on with.
func (s *Spark) ask(ctx context.Context, request, reply any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	stopKilling := context.AfterFunc(ctx, func() { s.cmd.Process.Kill() })
	defer stopKilling()
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("Spark does not listen: %w\n%s", errors.Join(ctx.Err(), err), s.errors)
	}
	if err := s.receive(reply); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	return nil
}

func (s *Spark) receive(reply any) error {
	if !s.out.Scan() {
		return fmt.Errorf("Spark ended without an answer: %w\n%s", errors.Join(s.out.Err(), io.ErrUnexpectedEOF), s.errors)
	}
	var fault struct{ Error, Class string }
	if err := json.Unmarshal(s.out.Bytes(), &fault); err != nil {
		return fmt.Errorf("read Spark's answer: %w", err)
	}
	if fault.Error != "" {
		return &Error{Class: fault.Class, Message: fault.Error}
	}
	return decode(s.out.Bytes(), reply)
}
