package sparksql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// graceful is how long a child that was asked to end may take: Spark cancels its jobs, removes
// its temporary files and tells its cluster.
const graceful = 20 * time.Second

// killedError is a child that was ended by ajlo, because of the context's cause.
type killedError struct{ cause error }

func (k *killedError) Error() string { return "spark-sql was ended: " + k.cause.Error() }
func (k *killedError) Unwrap() error { return k.cause }

// Child is a spark-sql that is started for each step and for each question, and ends with it.
type Child struct {
	// Command is the program and its first arguments, such as spark-sql --master yarn.
	Command []string
	// Conf are settings of Spark that are given with --conf.
	Conf map[string]string
	// Folder gets a folder for each run of the child, which is removed where it did well.
	Folder string
}

// Name is the constant Name.
func (c Child) Name() string { return Name }

// Alone is true: nobody else is at work in the child.
func (c Child) Alone() bool { return true }

// Ready says why the program cannot be started.
func (c Child) Ready() error {
	if len(c.Command) == 0 {
		return errors.New("the config names no program as engine.command")
	}
	if _, err := exec.LookPath(c.Command[0]); err != nil {
		return fmt.Errorf("Spark cannot be started: %w: name the program of spark-sql as engine.command", err)
	}
	return nil
}

// Run has a child carry out statements and gives what it printed. The child is in a process
// group of its own, so that the whole of it can be ended, and the kernel ends it where ajlo
// dies before it.
func (c Child) Run(ctx context.Context, statements string, conf map[string]string) (printed string, err error) {
	folder, err := os.MkdirTemp(c.Folder, "ajlo-spark-")
	if err != nil {
		return "", fmt.Errorf("make a folder for spark-sql: %w", err)
	}
	printed, err = c.runIn(ctx, folder, statements, conf)
	if err == nil {
		err = os.RemoveAll(folder)
	}
	return printed, err
}

func (c Child) runIn(ctx context.Context, folder, statements string, conf map[string]string) (printed string, err error) {
	file := filepath.Join(folder, "statements.sql")
	if err := os.WriteFile(file, []byte(statements+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write statements for spark-sql: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(folder, "spark.log"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("make a log for spark-sql: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var out bytes.Buffer
	cmd := c.command(ctx, file, conf)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, log
	if err := runLocked(cmd); err != nil {
		return "", explained(ctx, err, folder)
	}
	return out.String(), nil
}

func (c Child) command(ctx context.Context, file string, conf map[string]string) *exec.Cmd {
	args := slices.Clone(c.Command[1:])
	all := maps.Clone(c.Conf)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, conf)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "--conf", key+"="+all[key])
	}
	cmd := exec.CommandContext(ctx, c.Command[0], append(args, "-f", file)...)
	cmd.SysProcAttr = childAttributes()
	cmd.Cancel = func() error { return askToEnd(cmd) }
	cmd.WaitDelay = graceful
	return cmd
}

// runLocked keeps to one thread of the system: the kernel takes the end of the thread that
// started a child for the end of its parent.
func runLocked(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if cmd.Process != nil && err != nil {
		err = errors.Join(err, endGroup(cmd)) // what the child itself started may still be there
	}
	return err
}

// explained tells why a child did not do well.
func explained(ctx context.Context, err error, folder string) error {
	if ctx.Err() != nil {
		return &killedError{context.Cause(ctx)}
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("start spark-sql: %w", err)
	}
	text, readErr := os.ReadFile(filepath.Join(folder, "spark.log"))
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	said := lastWords(string(text))
	return &SaidError{Said: said, Text: fmt.Sprintf("spark-sql ended with code %d; its log is in %s: %s", exit.ExitCode(), folder, said)}
}

// Bounds of what is repeated of a child's log.
const (
	mostLines = 12
	mostChars = 2000
)

// lastWords are the end of a log on one line, without what is no error.
func lastWords(log string) string {
	lines := slices.DeleteFunc(strings.Split(log, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "... ") ||
			strings.Contains(line, " INFO ") || strings.Contains(line, " WARN ") || strings.HasPrefix(line, "WARNING:")
	})
	words := strings.Join(lines[max(0, len(lines)-mostLines):], " | ")
	return words[:min(len(words), mostChars)]
}
