package lake

import (
	"time"

	"ajlo/job/layout"
	"ajlo/job/predicate"
)

// TimePart is the first field that parts an Iceberg table by time, with the type of the column
// it is made of; ok is false where there is none.
func (s Snapshot) TimePart() (p Part, columnType string, ok bool) {
	for _, p := range s.Parts {
		if c, known := s.Column(p.Source); known && p.byTime(c.Type) {
			return p, c.Type, true
		}
	}
	return Part{}, "", false
}

func (p Part) byTime(columnType string) bool {
	switch p.Transform {
	case "year", "month", "day", "hour":
		return true
	case "identity":
		return columnType == "date"
	}
	return false
}

// PeriodOf is the time of the partition, or partitions, that a file's rows are in, as far as the
// table's metadata tell; ok is false where they do not.
func (s Snapshot) PeriodOf(f File) (period layout.Period, ok bool) {
	p, kind, ok := s.TimePart()
	if !ok {
		return layout.Period{}, false
	}
	period = layout.Period{Column: p.Source, Type: kind}
	if b, known := f.Bounds[p.Name]; known && p.Name != p.Source {
		period.From, period.To = p.unit(b.Min.I), p.unit(b.Min.I+1)
		return period, true
	}
	b, known := f.Bounds[p.Source]
	if !known || b.Min.IsNull() || b.Max.IsNull() {
		return layout.Period{}, false
	}
	first, last := moment(b.Min), moment(b.Max)
	period.From, period.To = p.Floor(first), p.unit(p.number(last)+1)
	return period, true
}

// moment is a value of time in UTC.
func moment(v predicate.Value) time.Time {
	if v.Kind == predicate.Date {
		return time.Unix(v.I*secondsPerDay, 0).UTC()
	}
	return time.UnixMicro(v.I).UTC()
}

const (
	epochYear     = 1970
	monthsPerYear = 12
	secondsPerDay = 24 * 60 * 60
)

// Floor is where the partition of a time begins.
func (p Part) Floor(t time.Time) time.Time { return p.unit(p.number(t)) }

// unit is where the n-th partition since 1970 begins.
func (p Part) unit(n int64) time.Time {
	switch p.Transform {
	case "year":
		return time.Date(epochYear+int(n), 1, 1, 0, 0, 0, 0, time.UTC)
	case "month":
		return time.Date(epochYear, 1+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	case "hour":
		return time.Unix(n*int64(time.Hour/time.Second), 0).UTC()
	}
	return time.Unix(n*secondsPerDay, 0).UTC()
}

// number is the partition of a time, counted since 1970.
func (p Part) number(t time.Time) int64 {
	t = t.UTC()
	switch p.Transform {
	case "year":
		return int64(t.Year() - epochYear)
	case "month":
		return int64(t.Year()-epochYear)*monthsPerYear + int64(t.Month()) - 1
	case "hour":
		return predicate.FloorDivide(t.Unix(), int64(time.Hour/time.Second))
	}
	return predicate.FloorDivide(t.Unix(), secondsPerDay)
}
