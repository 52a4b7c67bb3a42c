package job

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/config"
	"ajlo/job/lake"
	"ajlo/job/unit"
)

// What is proposed goes by the size of the tables, and says what it is of them.
func TestProposedSizes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tables []lake.File // of one file each
		want   string
	}{
		{"nothing", nil, "no table was found to go by: 1.00 GB\n# engine: {target_file_size: 64MiB}"},
		{"small", []lake.File{{Bytes: 40 * unit.MB}, {Bytes: 1 * unit.MB}}, "all of the 41.0 MB of the tables found, which are small: 50.0 MB\nengine: {target_file_size: \"30.0 MB\"}"},
		{"tiny", []lake.File{{Bytes: 40}}, "all of the 40 B of the tables found, which are small: 40 B\nengine: {target_file_size: \"10.0 kB\"}"},
		{"a few GB", []lake.File{{Bytes: 3 * unit.GB}}, "some of the 3.00 GB of the tables found: 1.00 GB\n# engine: {target_file_size: 64MiB}"},
		{"large", []lake.File{{Bytes: 123 * unit.GB}, {Bytes: unit.MB}}, "about a tenth of the 123 GB of the tables found: 20.0 GB\n# engine: {target_file_size: 64MiB}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l Lake
			for _, f := range tt.tables {
				l.Tables = append(l.Tables, Found{Snapshot: lake.Snapshot{Files: []lake.File{f}}})
			}
			budget, part := sizesOf(l).budget()
			var lines []string
			sizesOf(l).write(func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
			if diff := cmp.Diff(tt.want, fmt.Sprintf("%s: %v\n%s", part, budget, lines[len(lines)-1])); diff != "" {
				t.Error(diff)
			}
			c, err := config.Parse([]byte("sources: [{logs: x}]\nbudget: {rewrite: 1GB}\n"+lines[len(lines)-1]), t.TempDir())
			if usual := c.Engine.TargetFileSize == config.UsualFile; err != nil || usual != strings.HasPrefix(lines[len(lines)-1], "#") {
				t.Errorf("the config then says %v, %v", c.Engine.TargetFileSize, err)
			}
		})
	}
}
