package job

import (
	"context"

	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/report"
	"ajlo/job/table"
)

// Inspect measures a table as it lies; the engine says whether it could rewrite it.
func Inspect(ctx context.Context, open object.Opener, name table.Name, at table.Location, engine execute.Engine) (report.Inspection, error) {
	store, err := open(string(at))
	if err != nil {
		return report.Inspection{}, err
	}
	s, err := lake.Open(ctx, store, name, at)
	if err != nil {
		return report.Inspection{}, err
	}
	reasons, err := unsupported(ctx, engine, s)
	if err != nil {
		return report.Inspection{}, err
	}
	return report.Inspect(s, reasons), nil
}
