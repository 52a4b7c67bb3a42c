package plan

import (
	"fmt"
	"math"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// chooseAll chooses among the options of the tables that may be rewritten, and leaves in every
// table only the options that were open to choice. Where layouts are worth something only
// together, an option that turns out to win less than the margin is taken out and the choice
// made again.
func (in Input) chooseAll(all []weighed) choice {
	options := in.allowed(all)
	options = in.prospects(all, options, in.pairs(all, options))
	for {
		p := problem{options: options, pairs: in.pairs(all, options), budget: in.Settings.Budget, storage: in.Settings.Storage}
		best := choose(p, in.Settings.Choice)
		at := in.underMargin(p, best.picks)
		if at < 0 {
			in.keepOptions(all, options)
			return best
		}
		all[at].table.Candidates[options[at][best.picks[at]].candidate].Reason = "wins less than the margin beside what the other tables take"
		options[at] = append(options[at][:best.picks[at]:best.picks[at]], options[at][best.picks[at]+1:]...)
	}
}

func (in Input) keepOptions(all []weighed, options [][]option) {
	for i := range all {
		if in.open(all[i]) {
			all[i].options = options[i]
		}
	}
}

// allowed gives the options of the tables that may be rewritten; the others have none.
func (in Input) allowed(all []weighed) [][]option {
	options := make([][]option, len(all))
	for i, w := range all {
		if in.open(w) {
			options[i] = w.options
		}
	}
	return options
}

func (in Input) open(w weighed) bool {
	return w.barred == "" && in.Settings.Writable(w.table.Table, w.table.Location)
}

// underMargin is the first table whose pick wins less than the margin beside the others', −1
// for none.
func (in Input) underMargin(p problem, picks []int) int {
	if len(p.pairs) == 0 {
		return -1 // every option wins it alone
	}
	with, _, _ := p.worth(picks)
	for at, pick := range picks {
		if pick == leave {
			continue
		}
		picks[at] = leave
		without, _, _ := p.worth(picks)
		picks[at] = pick
		if float64(with-without) <= in.Settings.Margin*float64(p.options[at][pick].rewrite) {
			return at
		}
	}
	return -1
}

// deferred are the tables that would be rewritten if the budgets were boundless.
func (in Input) deferred(all []weighed, picks []int) []table.Name {
	options := in.allowed(all)
	free := choose(problem{options: options, pairs: in.pairs(all, options), budget: boundless, storage: boundless}, in.Settings.Choice)
	left := []table.Name{}
	for i := range all {
		if picks[i] == leave && free.picks[i] != leave {
			left = append(left, all[i].table.Table)
		}
	}
	return left
}

// boundless is more than any lake holds, and adds up without overflow.
const boundless = unit.Bytes(1) << 60

// take writes the picks into the tables.
func (in Input) take(all []weighed, picks []int) {
	for i := range all {
		if picks[i] == leave {
			continue
		}
		w := &all[i]
		chosen := w.options[picks[i]].candidate
		c := w.table.Candidates[chosen]
		w.table.Chosen, w.table.Rewrite, w.table.ScannedBytesThen = c.Layout, c.Rewrite, c.ScannedBytes
		w.table.WrittenBytesThen = c.WrittenBytes
		w.table.Queries = w.classes(w.then[chosen])
	}
	in.together(all, picks)
}

// Money is what a plan is worth at the config's prices.
type Money struct {
	Currency       string  `json:"currency"`
	SavedPerWindow float64 `json:"saved_per_window"`
	Rewrite        float64 `json:"rewrite"`
	Storage        float64 `json:"storage"`
	NPV            float64 `json:"npv"`
}

// Prices are in the currency: of a terabyte read, rewritten, and kept for 30 days. All zero
// means that none are known.
type Prices struct {
	Currency                     string
	Scan, Rewrite, StorageMonths float64
}

// daysPerMonth is what a month of storage is billed as.
const daysPerMonth = 30

// money is what saved and rewritten bytes are worth; nil without prices.
func (s Settings) money(saved, rewrite unit.Bytes) *Money {
	p := s.Prices
	if p.Scan == 0 && p.Rewrite == 0 && p.StorageMonths == 0 {
		return nil
	}
	terabytes := func(b unit.Bytes) float64 { return float64(b) / float64(unit.TB) }
	m := Money{
		Currency: p.Currency, SavedPerWindow: cents(terabytes(saved) * p.Scan), Rewrite: cents(terabytes(rewrite) * p.Rewrite),
		Storage: cents(terabytes(rewrite) * p.StorageMonths * vacuumDays / daysPerMonth),
	}
	m.NPV = cents(terabytes(saved)*p.Scan*s.annuity() - m.Rewrite - m.Storage)
	return &m
}

// cents rounds to a hundredth of a cent: savings of one table in a night are small.
func cents(amount float64) float64 { return math.Round(amount*1e4) / 1e4 }

// String is the money for people.
func (m Money) String() string {
	return fmt.Sprintf("%.2f %s a window, NPV %.2f %s", m.SavedPerWindow, m.Currency, m.NPV, m.Currency)
}
