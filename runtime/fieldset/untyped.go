package fieldset

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Untyped compares values that no schema describes: what they are is seen when they are there.
// Objects are granular, lists are owned as a whole.
func Untyped[T any](c *Comparison, old, obj *T) {
	if old != nil && obj != nil && Same(old, obj) {
		return
	}
	comparison, err := untyped(old, obj)
	if err != nil {
		c.fail(err)
		return
	}
	graft(c, comparison.Modified.Union(comparison.Added), c.Change)
	graft(c, comparison.Removed, c.Remove)
}

// wrapped is the field that a value is put into, so that one that is not there can be compared too.
var wrapped = "value"

func untyped[T any](old, obj *T) (*typed.Comparison, error) {
	was, err := wrap(old)
	if err != nil {
		return nil, err
	}
	is, err := wrap(obj)
	if err != nil {
		return nil, err
	}
	return was.Compare(is)
}

func wrap[T any](v *T) (*typed.TypedValue, error) {
	text := []byte(`{}`)
	if v != nil {
		inner, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(nil, `{%q:%s}`, wrapped, inner)
	}
	in, err := value.FromJSON(text)
	if err != nil {
		return nil, err
	}
	return typed.DeducedParseableType.FromUnstructured(in.Unstructured())
}

// graft tells the comparison about every field of a set of wrapped values, each place once.
func graft(c *Comparison, set *fieldpath.Set, tell func()) {
	at := fieldpath.PathElement{FieldName: &wrapped}
	if set.Members.Has(at) {
		tell()
	}
	if below, ok := set.Children.Get(at); ok {
		graftBelow(c, below, tell)
	}
}

func graftBelow(c *Comparison, set *fieldpath.Set, tell func()) {
	enter := func(element fieldpath.PathElement, member bool) {
		if element.FieldName == nil {
			return // there are none: lists are owned as a whole
		}
		c.Enter(*element.FieldName)
		if member {
			tell()
		}
		if below, ok := set.Children.Get(element); ok {
			graftBelow(c, below, tell)
		}
		c.Leave()
	}
	set.Members.Iterate(func(element fieldpath.PathElement) { enter(element, true) })
	set.Children.Iterate(func(element fieldpath.PathElement) {
		if !set.Members.Has(element) {
			enter(element, false)
		}
	})
}
