package factcache

import (
	"errors"
	"fmt"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// maxDepth is how deep a predicate may be: deeper ones are written by nobody and would only
// use up the stack.
const maxDepth = 10_000

// Flatten lists the nodes of a predicate in prefix order; nil has none.
func Flatten(p *predicate.Predicate) []Node {
	if p == nil {
		return nil
	}
	return flatten(nil, *p)
}

func flatten(nodes []Node, p predicate.Predicate) []Node {
	node := Node{Op: string(p.Op), Column: string(p.Column), Args: int32(len(p.Args))}
	for _, v := range p.Values {
		node.Values = append(node.Values, Value{Kind: v.Kind.String(), Int: v.I, Scale: int32(v.Scale), Float: v.F, Text: v.S})
	}
	nodes = append(nodes, node)
	for _, arg := range p.Args {
		nodes = flatten(nodes, arg)
	}
	return nodes
}

// Tree is the reverse of Flatten. Nodes that are no tree are an error.
func Tree(nodes []Node) (*predicate.Predicate, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	p, rest, err := tree(nodes, maxDepth)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("predicate: %d nodes follow its end", len(rest))
	}
	return &p, err
}

func tree(nodes []Node, depth int) (p predicate.Predicate, rest []Node, err error) {
	switch {
	case len(nodes) == 0:
		return p, nil, errors.New("predicate: an argument is missing")
	case depth == 0:
		return p, nil, fmt.Errorf("predicate: deeper than %d", maxDepth)
	}
	node, rest := nodes[0], nodes[1:]
	if node.Args < 0 {
		return p, nil, fmt.Errorf("predicate: %d arguments", node.Args)
	}
	p = predicate.Predicate{Op: predicate.Op(node.Op), Column: table.Column(node.Column)}
	for _, v := range node.Values {
		kind, err := predicate.ParseKind(v.Kind)
		if err != nil {
			return p, nil, err
		}
		p.Values = append(p.Values, predicate.Value{Kind: kind, Scale: int8(v.Scale), I: v.Int, F: v.Float, S: v.Text})
	}
	for range node.Args {
		var arg predicate.Predicate
		if arg, rest, err = tree(rest, depth-1); err != nil {
			return p, nil, err
		}
		p.Args = append(p.Args, arg)
	}
	return p, rest, nil
}
