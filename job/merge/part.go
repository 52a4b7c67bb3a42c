package merge

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"ajlo/job/delta"
)

// part is one partition of the table that rows are written into.
type part struct {
	values map[string]*string // as the log spells them
	folder string
}

// parts numbers the partitions that rows may be written into.
type parts struct {
	target *target
	mu     sync.Mutex
	all    []part
	byKey  map[string]int
	ofFile []int // of each file of the snapshot
}

func newParts(t *target) *parts {
	p := &parts{target: t, byKey: map[string]int{}}
	for _, f := range t.delta.Files {
		p.ofFile = append(p.ofFile, p.number(f.PartitionValues, delta.PartitionFolder(f, t.delta.Metadata)))
	}
	return p
}

// number finds a partition, or adds it with a folder for its files.
func (p *parts) number(values map[string]*string, folder string) int {
	key := delta.PartitionKey(delta.Add{PartitionValues: values}, p.target.delta.Metadata)
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.byKey[key]
	if !known {
		n = len(p.all)
		p.byKey[key] = n
		p.all = append(p.all, part{values, folder})
	}
	return n
}

// of is the partition of a row that a rule makes of a row of the source, and of one of the file,
// which gives what the rule does not; NULL without a file.
func (p *parts) of(d *decided, rule int, row int32, file *delta.Add) (int, error) {
	if len(p.target.parted) == 0 {
		return p.number(nil, ""), nil
	}
	values, fields := map[string]*string{}, []delta.Field{}
	for _, c := range p.target.parted {
		f := p.target.schema[c]
		column, at := d.rules.of(d.source, rule, c, row)
		switch {
		case column == nil && file != nil:
			values[f.Physical()] = file.PartitionValues[f.Physical()]
		case column == nil:
			values[f.Physical()] = nil
		default:
			v, _, err := delta.ValueOf(column, at, f.Type)
			if err == nil {
				values[f.Physical()], err = delta.SpellPartition(v, f)
			}
			if err != nil {
				return 0, fmt.Errorf("row %d of the source: %w", row+1, err)
			}
		}
		fields = append(fields, f)
	}
	return p.number(values, delta.HiveFolder(fields, values)), nil
}

// inOrder are the numbers of all partitions, which were given as they came, by their values.
func (p *parts) inOrder() (numbers []int) {
	for _, key := range slices.Sorted(maps.Keys(p.byKey)) {
		numbers = append(numbers, p.byKey[key])
	}
	return numbers
}

// moves reports whether a rule may send a row to another partition.
func (c *rules) moves(t *target, rule int) bool {
	return slices.ContainsFunc(t.parted, func(column int) bool { return c.all[rule].from[column] != own })
}
