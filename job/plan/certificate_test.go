package plan

import (
	"math/rand/v2"
	"testing"

	"ajlo/job/unit"
)

// thousandTables is a choice over 1,000 tables of 30 candidates each with 1,500 pairs between
// them, under two budgets that both bind.
func thousandTables(seed uint64) problem {
	const tables, candidates, pairs = 1_000, 30, 1_500
	r := rand.New(rand.NewPCG(seed, 30))
	p := problem{options: make([][]option, tables)}
	var total unit.Bytes
	for i := range p.options {
		size := unit.Bytes(float64(100*unit.MB) / (1 - 0.999*r.Float64())) // 100 MB to 100 GB
		total += size
		for range candidates {
			rewrite := unit.Bytes(float64(size) * (0.5 + r.Float64()/2))
			p.options[i] = append(p.options[i], option{
				npv:     unit.Bytes(float64(size) * (8*r.Float64() - 2)),
				rewrite: rewrite, storage: unit.Bytes(float64(rewrite) * (0.05 + 0.1*r.Float64())),
			})
		}
	}
	for range pairs {
		a := r.IntN(tables)
		b := (a + 1 + r.IntN(tables-1)) % tables
		p.pairs = append(p.pairs, pair{a: min(a, b), b: max(a, b), terms: []term{
			{r.IntN(candidates), r.IntN(candidates), unit.Bytes(r.Float64() * float64(unit.GB))},
			{r.IntN(candidates), leave, -unit.Bytes(r.Float64() * float64(100*unit.MB))},
		}})
	}
	p.budget, p.storage = total/3, total*5/200
	return p
}

// mostGap is what a certificate over hundreds of tables may leave open.
const mostGap = 0.01

func TestThousandTablesAreChosenWithACertificate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	p := thousandTables(0)
	got := chooseWithin(p, Exact, 10_000)
	npv, rewrite, storage := p.worth(got.picks)
	if npv != got.npv || rewrite > p.budget || storage > p.storage {
		t.Errorf("NPV %d stated as %d, rewrite %d of %d, storage %d of %d", npv, got.npv, rewrite, p.budget, storage, p.storage)
	}
	open := gap(got)
	if t.Logf("certificate: %.4f %%", open*100); open > mostGap {
		t.Errorf("the certificate leaves %.2f %% open", open*100)
	}
}

// BenchmarkThousandTables is a whole choice, certificate included.
func BenchmarkThousandTables(b *testing.B) {
	p := thousandTables(0)
	for b.Loop() {
		b.ReportMetric(gap(choose(p, Exact))*100, "%gap")
	}
}
