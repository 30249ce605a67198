package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// node is a place in the YAML text.
type node = ast.Node

// keys say what may stand in a mapping, and who reads the value of each.
type keys map[string]func(at string, n node)

// reader walks the tree of a YAML file and gathers what is wrong with it. The
// tree is walked by hand: a decoder into structs stops at the first mistake and
// forgets the place of the values that only a later check finds wrong.
type reader struct {
	file     string
	env      func(string) (string, bool)
	anchors  map[string]node
	problems Problems
}

// parse returns the root of the one document, or nil after a problem.
func (r *reader) parse(text []byte) (root node) {
	defer func() {
		if p := recover(); p != nil { // the parser has known panics on broken input
			root = nil
			r.place(1, 1, "this cannot be read as YAML; compare it with an example")
		}
	}()
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	f, err := parser.ParseBytes(hideVariables(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		line, column, why := 1, 1, err.Error()
		if s := (*yaml.SyntaxError)(nil); errors.As(err, &s) {
			line, column, why = s.Token.Position.Line, s.Token.Position.Column, s.Message
		}
		r.place(line, column, "this is not YAML: "+showVariables(why)+"; look at the indentation and the brackets here")
		return nil
	}
	docs := slices.DeleteFunc(f.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(docs) == 0 {
		r.place(1, 1, "the file is empty; write upstream_pools and routes")
		return nil
	}
	if len(docs) > 1 {
		r.problem(docs[1].Body, "a second YAML document begins here; keep one in a file")
	}
	r.anchors = map[string]node{}
	ast.Walk(r, docs[0].Body)
	return docs[0].Body
}

// Visit notes the anchors, for aliases to refer to.
func (r *reader) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		r.anchors[a.Name.GetToken().Value] = a.Value
	}
	return r
}

// resolve follows anchors, aliases and tags to the node that holds the value.
func (r *reader) resolve(n node) node {
	for range 16 { // an alias that leads to itself is a chain without end
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		case *ast.AliasNode:
			n = r.anchors[v.Value.GetToken().Value]
		default:
			return n
		}
	}
	return nil
}

// mapping hands each value to the reader of its key. An absent value (null)
// leaves the default. It is false when there is no mapping.
func (r *reader) mapping(n node, at string, known keys) bool {
	entries, ok := r.entries(n, at, 0)
	seen := map[string]int{}
	for _, e := range entries {
		name := showVariables(e.Key.GetToken().Value)
		read, ok := known[name]
		switch line, twice := seen[name]; {
		case !ok:
			r.problem(e.Key, unknown(name, at, known))
		case twice:
			r.problem(e.Key, fmt.Sprintf("%s stands here twice, first in line %d; keep one", path(at, name), line))
		default:
			seen[name] = e.Key.GetToken().Position.Line
			switch v := r.resolve(e.Value); {
			case v == nil:
				r.problem(e.Value, path(at, name)+": this alias leads to no anchor; write the value itself")
			case v.Type() != ast.NullType:
				read(path(at, name), e.Value)
			}
		}
	}
	return ok
}

// entries lists a mapping, the own keys before those that it merges in with
// "<<" and does not have.
func (r *reader) entries(n node, at string, depth int) (list []*ast.MappingValueNode, ok bool) {
	var values []*ast.MappingValueNode
	switch v := r.resolve(n).(type) {
	case *ast.MappingNode:
		values = v.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{v}
	default:
		r.problem(n, where(at)+"a mapping of keys to values belongs here; write \"key: value\" lines")
		return nil, false
	}
	var own, merged []*ast.MappingValueNode
	for _, v := range values {
		if _, ok := v.Key.(*ast.MergeKeyNode); !ok {
			own = append(own, v)
		} else if depth < 8 {
			more, _ := r.entries(v.Value, at, depth+1)
			merged = append(merged, more...)
		}
	}
	for _, m := range merged {
		if !slices.ContainsFunc(own, func(o *ast.MappingValueNode) bool {
			return o.Key.GetToken().Value == m.Key.GetToken().Value
		}) {
			own = append(own, m)
		}
	}
	return own, true
}

// sequence lists the items of a list.
func (r *reader) sequence(at string, n node) []node {
	s, ok := r.resolve(n).(*ast.SequenceNode)
	if !ok {
		r.problem(n, at+": a list belongs here; write each item after \"- \"")
		return nil
	}
	return s.Values
}

func (r *reader) problem(n node, text string) {
	p := n.GetToken().Position
	if v, ok := n.(*ast.MappingValueNode); ok { // its own token is the colon
		p = v.Key.GetToken().Position
	} else if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		p = m.Values[0].Key.GetToken().Position
	}
	r.place(p.Line, p.Column, text)
}

func (r *reader) place(line, column int, text string) {
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Column: column, Text: text})
}

func unknown(name, at string, known keys) string {
	in := ""
	if at != "" {
		in = " in " + at
	}
	if near := nearest(name, slices.Sorted(maps.Keys(known))); near != "" {
		return fmt.Sprintf("unknown key %q%s; did you mean %q?", name, in, near)
	}
	return fmt.Sprintf("unknown key %q%s; known here: %s", name, in, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

func path(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func where(at string) string {
	if at == "" {
		return ""
	}
	return at + ": "
}
