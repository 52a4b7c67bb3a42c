package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// contract is where all keys are described.
const contract = "schema/config.json"

// Load reads the file at path; relative paths in it start from the file's folder. A fault in
// what the file says is an *Error.
func Load(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, &Error{File: path, Line: 1, Column: 1, Message: fmt.Sprintf("cannot be read: %v", err),
			Next: "give the path of a configuration file with --config"}
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return Config{}, fmt.Errorf("config %s: find its folder: %w", path, err)
	}
	return parse(data, dir, path)
}

// Parse reads a configuration; relative paths in it start from dir. Every error is an *Error.
func Parse(data []byte, dir string) (Config, error) { return parse(data, dir, "") }

func parse(data []byte, dir, file string) (Config, error) {
	c, err := decode(bytes.TrimPrefix(data, []byte("\ufeff")), dir)
	if err != nil {
		err.place(file, data)
		return Config{}, err
	}
	return c, nil
}

func decode(data []byte, dir string) (Config, *Error) {
	root, fault := parseYAML(data)
	if fault != nil {
		return Config{}, fault
	}
	d := defaults()
	if root != nil {
		if err := yaml.NodeToValue(root, &d, yaml.Strict()); err != nil {
			return Config{}, describe(err)
		}
	}
	r := reader{dir: dir, root: root}
	c := r.config(d)
	return c, r.fault
}

// parseYAML gives the one document of the file, nil where it is empty.
func parseYAML(data []byte) (ast.Node, *Error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, describe(err)
	}
	var root ast.Node
	for _, d := range file.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		if root != nil {
			return nil, &Error{Message: "a second document begins", at: d.Start, Next: "keep one configuration in one file"}
		}
		root = d.Body
	}
	if root == nil {
		return nil, nil
	}
	return root, plain(root)
}

// plain refuses what could hide a missing value: keys with nothing behind them, anchors,
// aliases, merges and tags.
func plain(root ast.Node) *Error {
	v := &plainVisitor{}
	ast.Walk(v, root)
	return v.fault
}

type plainVisitor struct{ fault *Error }

// Visit keeps the first fault.
func (v *plainVisitor) Visit(node ast.Node) ast.Visitor {
	if v.fault != nil {
		return nil
	}
	switch node.Type() {
	case ast.NullType:
		v.fault = &Error{Message: "a key has no value", at: node.GetToken(), Next: "give it one or leave the line out"}
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType, ast.NanType, ast.InfinityType:
		v.fault = &Error{Message: fmt.Sprintf("%s is not read here", node.Type()), at: node.GetToken(), Next: "write the value out"}
	default:
		return v
	}
	return nil
}

// describe puts what the YAML library found into words about the file.
func describe(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*yaml.UnexpectedNodeTypeError](err); ok {
		return &Error{Message: misplaced(e.Actual, form(e.Expected)), at: e.Token,
			Next: contract + " shows the form of each key"}
	}
	if e, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		return &Error{Message: "unknown key " + quoted(e.Token), at: e.Token, Next: "mend its spelling or leave it out: " + contract + " lists the keys"}
	}
	if e, ok := errors.AsType[yaml.Error](err); ok {
		return &Error{Message: e.GetMessage(), at: e.GetToken(), Next: "mend the YAML"}
	}
	return &Error{Message: err.Error(), Next: "mend the YAML"}
}

func quoted(t *token.Token) string {
	if t == nil {
		return "in the file"
	}
	return fmt.Sprintf("%q", t.Value)
}

func misplaced(actual ast.NodeType, wanted string) string {
	return fmt.Sprintf("a %s stands where a %s is wanted", form(actual), wanted)
}

// form names a kind of node in words that need no knowledge of YAML.
func form(t ast.NodeType) string {
	switch t {
	case ast.SequenceType:
		return "list"
	case ast.MappingType, ast.MappingValueType:
		return "group of keys"
	}
	return "single value"
}
