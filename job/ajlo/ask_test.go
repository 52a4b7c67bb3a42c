package main

import (
	"bytes"
	"context"
	"time"

	"ajlo/job"
)

// answer is what one call of the program gave.
type answer struct {
	out, errs string
	code      job.ExitCode
}

func ask(args ...string) answer {
	var out, errs bytes.Buffer
	code := run(context.Background(), args, world{out: &out, errs: &errs, clock: time.Now})
	return answer{out.String(), errs.String(), code}
}
