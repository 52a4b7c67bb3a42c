package plan

import (
	"math"

	"ajlo/job/unit"
)

// vacuumDays is how long removed files are kept by Delta's default
// (delta.deletedFileRetentionDuration, 7 days).
const vacuumDays = 7

// daysPerWeek turns days kept into weeks: storage is weighted by the week.
const daysPerWeek = 7

// annuity is what one saved byte in each of the next windows is worth today:
// (1 − (1+r)^−H)/r, and H where r is 0.
func (s Settings) annuity() float64 {
	if s.Rate == 0 {
		return float64(s.Horizon)
	}
	return (1 - math.Pow(1+s.Rate, -float64(s.Horizon))) / s.Rate
}

// StorageCost is the weight of the removed files until VACUUM takes them.
func (s Settings) StorageCost(rewrite unit.Bytes) unit.Bytes {
	return unit.Bytes(math.Round(float64(rewrite) * vacuumDays / daysPerWeek * s.StorageWeight))
}

// npv is Σ saved bytes per window · annuity − rewrite cost − storage cost.
func (s Settings) npv(saved, rewrite unit.Bytes) unit.Bytes {
	return s.worth(saved) - rewrite - s.StorageCost(rewrite)
}

// worth is what so many saved bytes per window are worth today.
func (s Settings) worth(saved unit.Bytes) unit.Bytes {
	return unit.Bytes(math.Round(float64(saved) * s.annuity()))
}
