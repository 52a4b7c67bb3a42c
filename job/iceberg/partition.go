package iceberg

import (
	"github.com/apache/iceberg-go"

	"ajlo/job/predicate"
)

// partition gives a file's values in the fields of the current spec.
func (r reader) partition(d iceberg.DataFile) []predicate.Value {
	if int(d.SpecID()) != r.spec.ID() {
		return nil
	}
	stored := d.Partition()
	var values []predicate.Value
	for _, f := range r.spec.Fields() {
		values = append(values, partitionValue(stored[f.FieldID]))
	}
	return values
}

// partitionValue reads a partition value as manifests are decoded: days and dates are dates,
// months, years and hours whole numbers since 1970. What is no whole number, date or text is
// not known.
func partitionValue(stored any) predicate.Value {
	switch v := stored.(type) {
	case iceberg.Date:
		return predicate.DateValue(int64(v))
	case int32:
		return predicate.IntValue(int64(v))
	case int64:
		return predicate.IntValue(v)
	case string:
		return predicate.StringValue(v)
	case bool:
		return predicate.BoolValue(v)
	}
	return predicate.Value{}
}
