package delta

import (
	"encoding/json"
	"slices"
)

// clusteringDomain is where liquid clustering keeps its keys.
const clusteringDomain = "delta.clustering"

// ClusteringKeys are the keys that the table declares, as paths of logical names; nil where
// it declares none.
func (s Snapshot) ClusteringKeys() [][]string {
	var declared struct {
		ClusteringColumns [][]string `json:"clusteringColumns"`
	}
	if err := json.Unmarshal([]byte(s.Domains[clusteringDomain].Configuration), &declared); err != nil {
		return nil
	}
	var keys [][]string
	for _, path := range declared.ClusteringColumns {
		if len(path) > 0 {
			keys = append(keys, logical(s.Metadata.Schema, path))
		}
	}
	return keys
}

// DeclaredKeys is what the table declares as its keys, in the form in which Change.Keys sets them.
// A table that declares none has an empty list, which is how Spark stops clustering: the feature
// stays.
func (s Snapshot) DeclaredKeys() Domain {
	if d, ok := s.Domains[clusteringDomain]; ok {
		return d
	}
	return Domain{Name: clusteringDomain, Configuration: `{"clusteringColumns":[],"domainName":"` + clusteringDomain + `"}`}
}

// logical names the column that a path of physical names leads to. Names that lead nowhere
// stay as they are.
func logical(fields []Field, path []string) []string {
	names := make([]string, len(path))
	for i, physical := range path {
		names[i] = physical
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Physical() == physical })
		if at < 0 {
			fields = nil
			continue
		}
		names[i], fields = fields[at].Name, fields[at].Type.Fields
	}
	return names
}
