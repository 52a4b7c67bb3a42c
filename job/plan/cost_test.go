package plan

import (
	"testing"

	"ajlo/job/unit"
)

func TestAnnuity(t *testing.T) {
	for _, tc := range []struct {
		name string
		s    Settings
		want float64
	}{
		{"no discount counts windows", Settings{Horizon: 8}, 8},
		{"eight windows at two percent", Settings{Horizon: 8, Rate: 0.02}, 7.325481},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.s.annuity(); got-tc.want > 1e-6 || tc.want-got > 1e-6 {
				t.Errorf("annuity = %f, want %f", got, tc.want)
			}
		})
	}
	s := Settings{Horizon: 8, StorageWeight: 0.1}
	if got, want := s.npv(100, 500), unit.Bytes(8*100-500-50); got != want {
		t.Errorf("NPV = %d, want %d: saved times windows, less rewrite, less storage", got, want)
	}
}
