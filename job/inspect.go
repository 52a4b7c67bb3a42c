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
	if s.Format == lake.Iceberg {
		return report.Inspect(s, []string{"an Iceberg table: ajlo rewrites Delta tables so far"}), nil
	}
	unsupported, err := engine.Unsupported(ctx, at)
	if err != nil {
		return report.Inspection{}, err
	}
	return report.Inspect(s, unsupported), nil
}
