package layout

import (
	"encoding/json"
	"fmt"
	"strconv"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// treeJSON is a node as plans keep it. Cuts are literals: reports leave them out (rule 9).
type treeJSON struct {
	Column table.Column `json:"column"`
	Kind   string       `json:"kind"`
	Scale  int8         `json:"scale,omitempty"`
	Cut    string       `json:"cut"`
	Below  *Tree        `json:"below,omitempty"`
	From   *Tree        `json:"from,omitempty"`
}

// MarshalJSON writes the node and all below it.
func (t *Tree) MarshalJSON() ([]byte, error) {
	return json.Marshal(treeJSON{Column: t.Column, Kind: t.Cut.Kind.String(), Scale: t.Cut.Scale, Cut: rawText(t.Cut), Below: t.Below, From: t.From})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Tree) UnmarshalJSON(text []byte) error {
	var node treeJSON
	if err := json.Unmarshal(text, &node); err != nil {
		return fmt.Errorf("learnt cuts: %w", err)
	}
	cut, err := parseRaw(node.Kind, node.Scale, node.Cut)
	if err != nil {
		return fmt.Errorf("learnt cuts: a cut of column %q: %w", node.Column, err)
	}
	*t = Tree{Column: node.Column, Cut: cut, Below: node.Below, From: node.From}
	return nil
}

// rawText spells a value so that it comes back the same: whole numbers, days and
// microseconds as they are counted, floats with all their digits.
func rawText(v predicate.Value) string {
	switch v.Kind {
	case predicate.String:
		return v.S
	case predicate.Float:
		return strconv.FormatFloat(v.F, 'g', -1, 64)
	}
	return strconv.FormatInt(v.I, 10)
}

func parseRaw(kind string, scale int8, text string) (v predicate.Value, err error) {
	if v.Kind, err = predicate.ParseKind(kind); err != nil {
		return v, err
	}
	v.Scale = scale
	switch v.Kind {
	case predicate.Null:
		return v, fmt.Errorf("NULL cannot be cut at")
	case predicate.String:
		v.S = text
	case predicate.Float:
		v.F, err = strconv.ParseFloat(text, 64)
	default:
		v.I, err = strconv.ParseInt(text, 10, 64)
	}
	return v, err
}
