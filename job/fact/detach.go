package fact

import (
	"slices"
	"strings"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// interner keeps one copy of each name that the facts of an application repeat.
type interner map[string]string

// of gives text in memory of its own. A name cut from a plan would keep the whole plan,
// and the line of the log it came in, for as long as the fact lives.
func (n interner) of(text string) string {
	if own, ok := n[text]; ok {
		return own
	}
	own := strings.Clone(text)
	n[own] = own
	return own
}

// detach moves everything in d out of the plan's text.
func (d *digest) detach(names interner) {
	d.top = names.of(d.top)
	if w := d.write; w != nil {
		w.Table, w.Location = table.Name(names.of(string(w.Table))), table.Location(names.of(string(w.Location)))
		for i := range w.pairs {
			w.pairs[i][0].name, w.pairs[i][1].name = names.of(w.pairs[i][0].name), names.of(w.pairs[i][1].name)
		}
	}
	for id, n := range d.made {
		n.name, n.origin.expression = names.of(n.name), strings.Clone(n.origin.expression)
		n.origin.refs = slices.Clone(n.origin.refs)
		detachRefs(n.origin.refs, names)
		d.made[id] = n
	}
	for i := range d.scans {
		s := &d.scans[i]
		s.Table, s.Format = table.Name(names.of(string(s.Table))), names.of(s.Format)
		s.Location = table.Location(names.of(string(s.Location)))
		detachPredicate(s.Predicate, names)
		s.note.detach(names)
	}
	for i := range d.passed {
		d.passed[i].detach(names)
	}
	for i := range d.joins {
		j := &d.joins[i]
		detachRefs(j.Left, names)
		detachRefs(j.Right, names)
		for k := range j.Expression {
			j.Expression[k] = names.of(j.Expression[k])
		}
		j.note.detach(names)
	}
}

func (n *Note) detach(names interner) {
	n.Operator, n.Said = names.of(n.Operator), strings.Clone(n.Said)
}

func detachPredicate(p *predicate.Predicate, names interner) {
	if p == nil {
		return
	}
	p.Column = table.Column(names.of(string(p.Column)))
	p.Unread = strings.Clone(p.Unread)
	for i := range p.Values {
		p.Values[i].S = strings.Clone(p.Values[i].S)
	}
	for i := range p.Args {
		detachPredicate(&p.Args[i], names)
	}
}

func detachRefs(refs []table.Ref, names interner) {
	for i, r := range refs {
		refs[i] = table.Ref{Table: table.Name(names.of(string(r.Table))), Column: table.Column(names.of(string(r.Column)))}
	}
}
