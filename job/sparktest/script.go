//go:build spark

package sparktest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// Script runs a Python program under the Spark that is being tested. Its first argument is a
// JSON object of Spark settings, those of o; the others follow. A program that fails is an
// error with the end of what it said.
func Script(ctx context.Context, t testing.TB, o Options, program string, arguments ...string) error {
	t.Helper()
	at := installed(t)
	conf, err := json.Marshal(o.conf(t, at))
	if err != nil {
		return fmt.Errorf("run %s: encode settings: %w", program, err)
	}
	_, err = at.run(ctx, t, append([]string{program, string(conf)}, arguments...))
	return err
}
