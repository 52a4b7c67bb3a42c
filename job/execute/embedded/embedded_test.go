package embedded_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/execute/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(s enginetest.Setup) execute.Engine {
		return embedded.New(embedded.Options{
			Memory: s.Memory, Spill: s.Spill, Version: "test", NewID: uuid.NewString, Now: func() time.Time { return time.Now().Add(s.Later) },
			Open: s.Open, FreeSpace: s.FreeSpace, Disk: s.Disk,
			Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		})
	})
}
