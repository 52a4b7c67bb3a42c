package lake

import (
	"fmt"
	"slices"
)

// featureWriter is the writer version that lists features by name; the first CLUSTER BY
// raises a table to it.
const featureWriter = 7

// OneWayDoors lists, in words for people, what could be done to the layout of the table and
// not be undone. Tried on Spark 3.5 to 4.1 with Delta 3.3 to 4.3, and on Iceberg 1.10.
func (s Snapshot) OneWayDoors() []string {
	if s.Format == Iceberg {
		return s.icebergDoors()
	}
	if slices.Contains(s.Protocol.WriterFeatures, "clustering") {
		return []string{"passed: the table has the features clustering and domainMetadata, which cannot be dropped"}
	}
	doors := []string{fmt.Sprintf("CLUSTER BY raises the writer version from %d to %d with the features clustering and domainMetadata, "+
		"which cannot be dropped: writers without them are locked out", s.Protocol.MinWriter, featureWriter)}
	if s.Protocol.MinWriter >= featureWriter {
		doors = []string{"CLUSTER BY adds the features clustering and domainMetadata, which cannot be dropped: writers without them are locked out"}
	}
	if len(s.Layout.Partition) > 0 {
		doors = append(doors, "changing its partition columns (allow: {repartition: true}) stops streams that read it and writers that name them; CLUSTER BY is refused until then")
	}
	return doors
}

// icebergDoors: the rest of Iceberg's layout (partition spec, sort order, properties) can be
// set back.
func (s Snapshot) icebergDoors() []string {
	if s.Protocol.MinWriter >= 3 {
		return []string{}
	}
	return []string{fmt.Sprintf("raising the format version from %d cannot be undone", s.Protocol.MinWriter)}
}
