package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// maxText is about how many bytes clients are told of what is in a tree. A name that is on the way
// to many values would stand before each of them.
const maxText = 64 << 10

// Check says what is wrong with a tree. Items of a list may be there twice only if twice says so.
// The words are those of structured-merge-diff, which clients see. Of very many faults only some
// are named.
func (t *Type) Check(v any, twice bool) error {
	c := checking{twice: twice, room: maxText}
	c.check(t, v)
	switch len(c.faults) {
	case 0:
		return nil
	case 1:
		return c.faults[0]
	}
	return c.faults
}

// checking is one walk through a tree. It ends when it has found enough.
type checking struct {
	twice  bool
	path   path
	faults faults
	room   int // for the text of the faults
}

// fault is what is wrong with a value at a path.
type fault struct{ path, message string }

func (f fault) Error() string {
	if f.path == "" {
		return f.message
	}
	return f.path + ": " + f.message
}

type faults []fault

func (f faults) Error() string {
	lines := []string{"errors:"}
	for _, one := range f {
		lines = append(lines, "  "+one.Error())
	}
	return strings.Join(lines, "\n")
}

// wrong says what is wrong with the value that the walk is at.
func (c *checking) wrong(format string, args ...any) {
	f := fault{c.path.text(), fmt.Sprintf(format, args...)}
	c.faults = append(c.faults, f)
	c.room -= len(f.Error())
}

func (c *checking) enough() bool { return c.room < 0 }

// at checks a value at a place of the one that the walk is at.
func (c *checking) at(p place, t *Type, v any) {
	c.path = append(c.path, p)
	c.check(t, v)
	c.path = c.path[:len(c.path)-1]
}

func (c *checking) check(t *Type, v any) {
	switch {
	case t == nil:
		c.wrong("schema error: no type found")
		return
	case c.enough():
		return
	}
	switch t.of(v).first() {
	case isObject:
		c.object(&t.object, v)
	case isScalar:
		c.scalar(t.scalar, v)
	case isList:
		c.list(&t.list, v)
	default:
		c.wrong("schema error: invalid atom")
	}
}

func (c *checking) scalar(scalar schema.Scalar, v any) {
	if v == nil {
		return
	}
	text, truth, number := false, false, false
	switch v.(type) {
	case string:
		text = true
	case bool:
		truth = true
	case int64, uint64, float64:
		number = true
	}
	switch {
	case scalar == schema.Numeric && !number:
		c.wrong("expected numeric (int or float), got %T", v)
	case scalar == schema.String && !text:
		c.wrong("expected string, got %#v", value.NewValueInterface(v))
	case scalar == schema.Boolean && !truth:
		c.wrong("expected boolean, got %v", value.NewValueInterface(v))
	case scalar == schema.Untyped && !text && !truth && !number:
		c.wrong("expected any scalar, got %v", value.NewValueInterface(v))
	}
}

func (c *checking) list(l *list, v any) {
	if v == nil {
		return
	}
	items, ok := v.([]any)
	if !ok {
		c.wrong("expected list, got %v", value.NewValueInterface(v))
		return
	}
	var seen map[string]bool
	if !l.atomic {
		seen = make(map[string]bool, len(items))
	}
	for i, item := range items {
		if c.enough() {
			return
		}
		if l.atomic {
			c.at(indexed(i), l.items, item)
			continue
		}
		id, err := l.identity(item)
		if err != nil {
			c.wrong("element %v: %v", i, err)
			return
		}
		if seen[id] && !c.twice {
			c.wrong("duplicate entries for key %v", l.element(item))
		}
		seen[id] = true
		c.at(l.place(item), l.items, item)
	}
}

func (c *checking) object(o *object, v any) {
	if v == nil {
		return
	}
	members, ok := v.(map[string]any)
	if !ok {
		c.wrong("expected map, got %v", value.NewValueInterface(v))
		return
	}
	before, unknown := len(c.faults), false
	for name, inner := range members {
		t, declared := o.member(name)
		if !declared && t == nil {
			unknown = true
		} else {
			c.at(member(name), t, inner)
		}
	}
	if unknown {
		c.unknown(o, members)
	}
	slices.SortStableFunc(c.faults[before:], func(a, b fault) int { return strings.Compare(a.path, b.path) })
}

// unknown is about the first of the members that must not be there.
func (c *checking) unknown(o *object, members map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if t, declared := o.member(name); !declared && t == nil {
			c.path = append(c.path, member(name))
			c.wrong("field not declared in schema")
			c.path = c.path[:len(c.path)-1]
			return
		}
	}
}
