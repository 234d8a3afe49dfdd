package tree

import (
	"reflect"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// Compare tells c which fields two objects differ in.
func (t *Type) Compare(c *fieldset.Comparison, old, obj map[string]any) {
	t.compare(c, old, obj)
}

// compare compares two values, one of which may be absent. c is at their path.
func (t *Type) compare(c *fieldset.Comparison, old, obj any) {
	if identical(old, obj) {
		return
	}
	was, is := t.of(old), t.of(obj)
	switch {
	case !there(obj):
		is = was
	case there(old) && was != is:
		t.compareAs(c, was, old, obj)
	}
	t.compareAs(c, is, old, obj)
	switch {
	case !there(old):
		c.Change()
	case !there(obj):
		c.Remove()
	}
}

// compareAs compares two values as one of the kinds that they may be of.
func (t *Type) compareAs(c *fieldset.Comparison, as kinds, old, obj any) {
	switch as.first() {
	case isObject:
		was, _ := old.(map[string]any)
		is, _ := obj.(map[string]any)
		if !t.object.atomic && len(was)+len(is) > 0 {
			t.object.compare(c, was, is)
			return
		}
	case isList:
		was, _ := old.([]any)
		is, _ := obj.([]any)
		if !t.list.atomic && len(was)+len(is) > 0 {
			t.list.compare(c, was, is)
			return
		}
	}
	if there(old) && there(obj) && !same(old, obj) {
		c.Change()
	}
}

func (o *object) compare(c *fieldset.Comparison, was, is map[string]any) {
	one := func(name string, old, obj any) {
		if t, _ := o.member(name); t != nil && !identical(old, obj) {
			c.Enter(name)
			t.compare(c, old, obj)
			c.Leave()
		}
	}
	for name, old := range was {
		if obj, ok := is[name]; ok {
			one(name, old, obj)
		} else {
			one(name, old, absent)
		}
	}
	for name, obj := range is {
		if _, ok := was[name]; !ok {
			one(name, absent, obj)
		}
	}
}

// compare compares lists by the identities of their items. Items with the same one are one field,
// as long as there are several of them.
func (l *list) compare(c *fieldset.Comparison, was, is []any) {
	before, after := l.itemsOf(was), l.itemsOf(is)
	one := func(old, obj any) { l.items.compare(c, old, obj) }
	each := func(id string, some any) {
		c.EnterItem(l.element(some))
		defer c.Leave()
		switch old, obj := before.at[id], after.at[id]; {
		case len(old) <= 1 && len(obj) <= 1:
			one(before.one(id), after.one(id))
		case len(old) > 1 && len(obj) > 1:
			if !same(old, obj) {
				c.Change()
			}
		case len(old) > 1:
			if len(obj) == 1 {
				one(absent, obj[0])
			}
			c.Remove()
		default:
			if len(old) == 1 {
				one(old[0], absent)
			}
			c.Change()
		}
	}
	done := make(map[string]bool, len(before.at)+len(after.at))
	for _, x := range []items{before, after} {
		for _, id := range x.order {
			if !done[id] {
				done[id] = true
				each(id, x.at[id][0])
			}
		}
	}
}

// identical says whether two values are the same piece of memory, as values are that nobody has
// touched.
func identical(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
	case string:
		b, ok := b.(string)
		return ok && a == b
	}
	return false
}

// same says whether two values are equal. Numbers are by what they stand for.
func same(a, b any) bool {
	if identical(a, b) {
		return true
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, inner := range a {
			if other, ok := b[name]; !ok || !same(inner, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	if isContainer(b) {
		return false
	}
	if a == b {
		return true
	}
	x, ok := float(a)
	y, also := float(b)
	return ok && also && x == y && !(integer(a) && integer(b))
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func integer(v any) bool {
	switch v.(type) {
	case int64, uint64:
		return true
	}
	return false
}

// Same says whether two trees are equal.
func Same(a, b map[string]any) bool { return same(a, b) }
