package fieldset

import (
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Untyped compares values that no schema describes: what they are is seen when they are there.
// Objects are granular, lists are owned as a whole.
func Untyped[T any](c *Comparison, old, obj *T) {
	if old != nil && obj != nil && Same(old, obj) {
		return
	}
	was, err := tree(old)
	if err != nil {
		c.fail(err)
		return
	}
	is, err := tree(obj)
	if err != nil {
		c.fail(err)
		return
	}
	c.untyped(was, is)
}

// tree is a value as it stands in JSON; nil: it is not there.
func tree[T any](v *T) (value.Value, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return value.FromJSON(text)
}

// untyped compares two values, one of which may not be there. Null is as good as an empty object,
// until it is compared with one.
func (c *Comparison) untyped(old, obj value.Value) {
	was, wasObject := members(old)
	is, isObject := members(obj)
	for name, inner := range was {
		c.Enter(name)
		if next, ok := is[name]; ok {
			c.untyped(value.NewValueInterface(inner), value.NewValueInterface(next))
		} else {
			c.untyped(value.NewValueInterface(inner), nil)
		}
		c.Leave()
	}
	for name, inner := range is {
		if _, ok := was[name]; !ok {
			c.Enter(name)
			c.untyped(nil, value.NewValueInterface(inner))
			c.Leave()
		}
	}
	switch {
	case old == nil:
		c.Change()
	case obj == nil:
		c.Remove()
	case wasObject && isObject && len(was)+len(is) > 0:
	case !value.Equals(old, obj):
		c.Change()
	}
}

// members are those of an object, none of other values. object says that it is one, or null.
func members(v value.Value) (in map[string]any, object bool) {
	if v == nil || v.IsNull() {
		return nil, true
	}
	in, object = v.Unstructured().(map[string]any)
	return in, object
}
