package eventlog_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ajlo/job/eventlog"
	"ajlo/job/fact"

	"github.com/klauspost/compress/zstd"
)

// The benchmarks work on the log that AJLO_BENCH_LOG names; scripts/bench-eventlog writes
// it, of AJLO_BENCH_BYTES unpacked, with BenchmarkWrite and calls each of the others in a
// process of its own. Without them a log of one round is made.
const (
	benchLog   = "AJLO_BENCH_LOG"
	benchBytes = "AJLO_BENCH_BYTES"
)

// A round is the fixture's log with this many task ends and adaptive updates for each one:
// of its 200 MB one half are task ends, one half updates, and 6 % all the rest. Those added
// are others of the log by turns, under the ids of the one they are added to, so that the
// text repeats itself no more than the fixture's does.
const (
	taskCopies   = 5
	updateCopies = 13
)

// idStep parts the ids of one round from those of the next.
const idStep = 1_000_000

// benchIDs are the fields that tie the events of a query together.
var benchIDs = regexp.MustCompile(`"(?:executionId|rootExecutionId|Stage ID|Job ID|spark\.sql\.execution\.id|spark\.sql\.execution\.root\.id)":"?\d+|"Stage IDs":\[[\d,]+`)

var number = regexp.MustCompile(`\d+$|\d+,|\d+`)

// idsWithin is how far into an update or a task's end its ids are.
const idsWithin = 200

func shifted(line []byte, by int64) []byte {
	return benchIDs.ReplaceAllFunc(line, func(field []byte) []byte {
		name, ids, _ := bytes.Cut(field, []byte(":"))
		return append(append(bytes.Clone(name), ':'), number.ReplaceAllFunc(ids, func(n []byte) []byte {
			digits := strings.TrimRight(string(n), ",")
			id, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return n
			}
			return append(strconv.AppendInt(nil, id+by, 10), n[len(digits):]...)
		})...)
	})
}

// benchWriter writes rounds. Copies of updates come between the ends of tasks, as adaptive
// execution plans anew while tasks end.
type benchWriter struct {
	out            packer
	size           int64
	tasks, updates int64
	taskEnds       *turns
	planUpdates    *turns
	pending        [][]byte
	err            error
}

// turns gives lines of one kind one after the other, again and again.
type turns struct {
	lines [][]byte
	at    int
}

func turnsOf(text []byte, is func(front []byte) bool) *turns {
	t := &turns{}
	for line := range bytes.Lines(text) {
		if is(front(line)) {
			t.lines = append(t.lines, line)
		}
	}
	return t
}

func (t *turns) next() []byte {
	t.at++
	return t.lines[t.at%len(t.lines)]
}

func front(line []byte) []byte { return line[:min(len(line), idsWithin)] }

func isTaskEnd(front []byte) bool {
	return bytes.HasPrefix(front, []byte(`{"Event":"SparkListenerTaskEnd"`))
}

func isUpdate(front []byte) bool { return bytes.Contains(front, []byte("AdaptiveExecutionUpdate")) }

var (
	ofStage     = regexp.MustCompile(`"Stage ID":\d+,"Stage Attempt ID":\d+`)
	ofExecution = regexp.MustCompile(`"executionId":\d+`)
)

// under gives the line with the ids of another.
func under(line, other []byte, ids *regexp.Regexp) []byte {
	head := front(line)
	return append(ids.ReplaceAll(head, ids.Find(front(other))), line[len(head):]...)
}

func (w *benchWriter) line(parts ...[]byte) (size int64) {
	for _, part := range parts {
		if w.err == nil {
			_, w.err = w.out.Write(part)
		}
		size += int64(len(part))
	}
	if w.err == nil && !unflushed.Match(front(parts[0])) {
		w.err = w.out.Flush()
	}
	w.size += size
	return size
}

func (w *benchWriter) update() {
	if len(w.pending) > 0 {
		w.updates += w.line(w.pending[0])
		w.pending = w.pending[1:]
	}
}

func (w *benchWriter) round(text []byte, n int64) {
	for line := range bytes.Lines(text) {
		head := front(line)
		switch {
		case isTaskEnd(head):
			line = append(shifted(head, n*idStep), line[len(head):]...)
			for range taskCopies - 1 {
				w.tasks += w.line(under(w.taskEnds.next(), line, ofStage))
				w.update()
			}
			w.tasks += w.line(line)
		case isUpdate(head):
			line = append(shifted(head, n*idStep), line[len(head):]...)
			for range updateCopies - 1 {
				w.pending = append(w.pending, under(w.planUpdates.next(), line, ofExecution))
			}
			w.pending = append(w.pending, line)
		default:
			for bytes.Contains(head, []byte("ExecutionEnd")) && len(w.pending) > 0 {
				w.update()
			}
			w.line(shifted(line, n*idStep))
		}
	}
}

// lz4Writer writes Spark's blocks of lz4.
type lz4Writer struct {
	b   *testing.B
	out io.Writer
}

func (w lz4Writer) Write(p []byte) (int, error) {
	_, err := w.out.Write(eventlog.AppendLZ4Block(w.b, nil, p))
	return len(p), err
}

// packer compresses.
type packer interface {
	io.WriteCloser
	// Flush is called after every event that Spark flushes its log after.
	Flush() error
}

// unflushed are the events after which Spark does not flush (EventLoggingListener).
var unflushed = regexp.MustCompile(`^{"Event":"SparkListener(?:Task(?:Start|End|GettingResult)|StageSubmitted|EnvironmentUpdate|LogStart)"`)

// lz4Packer writes blocks of 32 KiB, whatever is flushed, as Spark has it.
type lz4Packer struct{ *bufio.Writer }

func (lz4Packer) Flush() error   { return nil }
func (p lz4Packer) Close() error { return p.Writer.Flush() }

// zstdPacker writes frames of Spark's level and window; flushing ends one, as in the log of
// testdata/spark40.
type zstdPacker struct {
	*zstd.Encoder
	out io.Writer
}

func (p zstdPacker) Flush() error {
	if err := p.Close(); err != nil {
		return err
	}
	p.Reset(p.out)
	return nil
}

// zstdWindow is that of zstd's level 1.
const zstdWindow = 512 << 10

// packerFor goes by the ending of the log's name.
func packerFor(b *testing.B, name string, out io.Writer) packer {
	if filepath.Ext(name) == ".lz4" {
		return lz4Packer{bufio.NewWriterSize(lz4Writer{b, out}, 32<<10)}
	}
	z, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(zstdWindow))
	if err != nil {
		b.Fatal(err)
	}
	return zstdPacker{z, out}
}

func writeLog(b *testing.B, name string, size int64) {
	fixture, err := filepath.Glob("../../testdata/spark40-delta/eventlogs/*/events_1_*")
	if err != nil || len(fixture) != 1 {
		b.Fatalf("fixture: %v, %v", fixture, err)
	}
	packed, err := os.ReadFile(fixture[0])
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	out := packerFor(b, name, buffered)
	text := unzstd(b, packed)
	w := &benchWriter{out: out, taskEnds: turnsOf(text, isTaskEnd), planUpdates: turnsOf(text, isUpdate)}
	for n := int64(0); n == 0 || w.size < size; n++ {
		w.round(text, n)
	}
	for _, err := range []error{w.err, out.Close(), buffered.Flush(), file.Close()} {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(w.size)/1e6, "MB")
	b.ReportMetric(100*float64(w.tasks)/float64(w.size), "%task-ends")
	b.ReportMetric(100*float64(w.updates)/float64(w.size), "%updates")
}

// BenchmarkWrite writes the log for the others.
func BenchmarkWrite(b *testing.B) {
	name := os.Getenv(benchLog)
	if name == "" {
		name = filepath.Join(b.TempDir(), "local-1.zstd")
	}
	size, _ := strconv.ParseInt(os.Getenv(benchBytes), 10, 64) // none: one round
	for b.Loop() {
		writeLog(b, name, size)
	}
}

// theLog is the log to measure on.
func theLog(b *testing.B) string {
	if name := os.Getenv(benchLog); name != "" {
		return name
	}
	name := filepath.Join(b.TempDir(), "local-1.zstd")
	writeLog(b, name, 0)
	return name
}

// BenchmarkUnpack undoes the compression and throws the text away.
func BenchmarkUnpack(b *testing.B) {
	name := theLog(b)
	measure(b, func() int64 {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		text, release, err := eventlog.Unpack(file)
		if err != nil {
			b.Fatal(err)
		}
		defer release()
		n, err := text.WriteTo(io.Discard) // which is all that the decoder can be asked for
		if err != nil {
			b.Fatal(err)
		}
		return n
	})
}

// BenchmarkEvents reads the events and throws them away.
func BenchmarkEvents(b *testing.B) {
	benchmarkReading(b, func(a eventlog.Application, fsys string, r *eventlog.Reading) error {
		for _, err := range eventlog.Events(b.Context(), os.DirFS(fsys), a, r) {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkFacts extracts the facts.
func BenchmarkFacts(b *testing.B) {
	benchmarkReading(b, func(a eventlog.Application, fsys string, r *eventlog.Reading) error {
		f, err := fact.Extract(eventlog.Events(b.Context(), os.DirFS(fsys), a, r))
		if len(f.Queries) == 0 {
			b.Error("no queries")
		}
		return err
	})
}

func benchmarkReading(b *testing.B, read func(a eventlog.Application, folder string, r *eventlog.Reading) error) {
	folder, name := filepath.Split(theLog(b))
	measure(b, func() int64 {
		var r eventlog.Reading
		if err := read(eventlog.Application{ID: "a", Parts: []string{name}}, folder, &r); err != nil || len(r.Problems) > 0 {
			b.Fatalf("%v, problems %v", err, r.Problems)
		}
		return r.Bytes
	})
}

// measure reports text per second of processor time, which a busy machine does not change as
// much as it does the clock, and the most memory the process had.
func measure(b *testing.B, work func() int64) {
	var size int64
	before := processorSeconds(b)
	for b.Loop() {
		size += work()
	}
	b.ReportMetric(float64(size)/1e6/(processorSeconds(b)-before), "MB/cpu-s")
	b.ReportMetric(float64(size)/1e6/b.Elapsed().Seconds(), "MB/s")
	b.ReportMetric(peakMB(b), "peak-MB")
}

func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func peakMB(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Maxrss) * 1024 / 1e6
}
