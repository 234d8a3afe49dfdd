package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Check says what is wrong with a tree. Items of a list may be there twice only if twice says so.
// The words are those of structured-merge-diff, which clients see.
func (t *Type) Check(v any, twice bool) error {
	faults := t.check(v, twice)
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	return faults
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

func wrong(format string, args ...any) faults {
	return faults{{message: fmt.Sprintf(format, args...)}}
}

// below are the faults of what is at an element of the path.
func (f faults) below(at fieldpath.PathElement) faults {
	for i := range f {
		f[i].path = at.String() + f[i].path
	}
	return f
}

func (t *Type) check(v any, twice bool) faults {
	if t == nil {
		return wrong("schema error: no type found")
	}
	switch t.of(v).first() {
	case isObject:
		return t.object.check(v, twice)
	case isScalar:
		return checkScalar(t.scalar, v)
	case isList:
		return t.list.check(v, twice)
	}
	return wrong("schema error: invalid atom")
}

func checkScalar(scalar schema.Scalar, v any) faults {
	if v == nil {
		return nil
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
		return wrong("expected numeric (int or float), got %T", v)
	case scalar == schema.String && !text:
		return wrong("expected string, got %#v", value.NewValueInterface(v))
	case scalar == schema.Boolean && !truth:
		return wrong("expected boolean, got %v", value.NewValueInterface(v))
	case scalar == schema.Untyped && !text && !truth && !number:
		return wrong("expected any scalar, got %v", value.NewValueInterface(v))
	}
	return nil
}

func (l *list) check(v any, twice bool) (all faults) {
	if v == nil {
		return nil
	}
	items, ok := v.([]any)
	if !ok {
		return wrong("expected list, got %v", value.NewValueInterface(v))
	}
	var seen map[string]bool
	if !l.atomic {
		seen = make(map[string]bool, len(items))
	}
	for i, item := range items {
		if l.atomic {
			if found := l.items.check(item, twice); found != nil {
				all = append(all, found.below(fieldpath.PathElement{Index: &i})...)
			}
			continue
		}
		id, err := l.identity(item)
		if err != nil {
			return append(all, wrong("element %v: %v", i, err)...)
		}
		if seen[id] && !twice {
			all = append(all, wrong("duplicate entries for key %v", l.element(item))...)
		}
		seen[id] = true
		if found := l.items.check(item, twice); found != nil {
			all = append(all, found.below(l.element(item))...)
		}
	}
	return all
}

func (o *object) check(v any, twice bool) (all faults) {
	if v == nil {
		return nil
	}
	members, ok := v.(map[string]any)
	if !ok {
		return wrong("expected map, got %v", value.NewValueInterface(v))
	}
	unknown := false
	for name, inner := range members {
		t, declared := o.member(name)
		if !declared && t == nil {
			unknown = true
		} else if found := t.check(inner, twice); found != nil {
			all = append(all, found.below(fieldpath.PathElement{FieldName: &name})...)
		}
	}
	if unknown {
		all = append(all, o.unknown(members)...)
	}
	slices.SortStableFunc(all, func(a, b fault) int { return strings.Compare(a.path, b.path) })
	return all
}

// unknown is about the first of the members that must not be there.
func (o *object) unknown(members map[string]any) faults {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if t, declared := o.member(name); !declared && t == nil {
			return wrong("field not declared in schema").below(fieldpath.PathElement{FieldName: &name})
		}
	}
	return nil
}
