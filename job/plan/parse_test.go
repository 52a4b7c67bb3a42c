package plan_test

import (
	"strings"
	"testing"

	"ajlo/job/plan"
)

// A plan that is carried out has no fields that this ajlo does not know.
func TestParseKnown(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a plan", `{"engine":"embedded","steps":[{"table":"t"}]}`, ""},
		{"a field of the plan", `{"engine":"embedded","quorum":2}`, `unknown field "quorum"`},
		{"a field of a step", `{"steps":[{"table":"t","fiels":["a"]}]}`, `unknown field "fiels"`},
		{"two plans", `{"engine":"embedded"}{}`, "after top-level value"},
		{"half a plan", `{"engine":`, "unexpected E"},
		{"no plan", "", "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := plan.ParseKnown([]byte(tt.text))
			if tt.want == "" {
				if err != nil || p.Engine != plan.EmbeddedEngine || len(p.Steps) != 1 {
					t.Errorf("got %+v, %v", p, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
