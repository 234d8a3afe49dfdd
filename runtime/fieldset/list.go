package fieldset

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// SetOf compares lists that are sets: each value is owned by itself. element is a value as it
// stands in JSON: a string, a number or a bool.
func SetOf[S ~[]T, T comparable](c *Comparison, old, obj *S, element func(T) any) {
	was, is := valueOf(old), valueOf(obj)
	if len(was) == 0 && len(is) == 0 {
		nullOrEmpty(c, old != nil && obj != nil, was == nil, is == nil)
		return
	}
	if slices.Equal(was, is) {
		return
	}
	name := func(v *T) (fieldpath.PathElement, error) {
		in := value.NewValueInterface(element(*v))
		return fieldpath.PathElement{Value: &in}, nil
	}
	items(c, was, is, name, nil)
}

// Key is what names an item of a list: those of its fields that JSON shows, or that have a default.
type Key = value.FieldList

// AddKey adds a field to a key: its value as it stands in JSON if it is there, else its default,
// which is nil for none.
func AddKey(key Key, name string, there bool, v, otherwise any) Key {
	switch {
	case there:
		return append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
	case otherwise != nil:
		return append(key, value.Field{Name: name, Value: value.NewValueInterface(otherwise)})
	}
	return key
}

// AddKeyPointer is AddKey for a field that is a pointer.
func AddKeyPointer[T any](key Key, name string, p *T, element func(T) any, otherwise any) Key {
	if p == nil {
		return AddKey(key, name, false, nil, otherwise)
	}
	return AddKey(key, name, true, element(*p), otherwise)
}

// few is how many items or fields are told apart by comparing each with each.
const few = 32

// List compares lists that are maps: each item is named by its key and compared by values. same
// says whether two items have the same key. It is for lists whose items have not moved; nil if only
// the keys tell.
func List[S ~[]T, T any](c *Comparison, old, obj *S, same func(a, b *T) bool, key func(*T) Key, values compare[T]) {
	was, is := valueOf(old), valueOf(obj)
	if len(was) == 0 && len(is) == 0 {
		nullOrEmpty(c, old != nil && obj != nil, was == nil, is == nil)
		return
	}
	n := &keyed[T]{key: key}
	switch {
	case same == nil:
	case len(was) == 0 && distinct(is, same):
		n.each(c, is, func(item *T) { values(c, nil, item); c.Change() })
		return
	case len(is) == 0 && distinct(was, same):
		n.each(c, was, func(item *T) { values(c, item, nil); c.Remove() })
		return
	}
	if same == nil || !aligned(was, is, same) {
		name := func(item *T) (fieldpath.PathElement, error) {
			n.item = item
			return n.element()
		}
		items(c, was, is, name, values)
		return
	}
	for i := range was {
		n.item = &is[i]
		c.path = append(c.path, step{late: n})
		values(c, &was[i], &is[i])
		c.Leave()
	}
}

// keyed names the item that it is at.
type keyed[T any] struct {
	key  func(*T) Key
	item *T
}

func (n *keyed[T]) element() (fieldpath.PathElement, error) {
	fields := n.key(n.item)
	if len(fields) == 0 {
		return fieldpath.PathElement{}, errors.New("it has none of the fields that name an item of the list")
	}
	fields.Sort()
	return fieldpath.PathElement{Key: &fields}, nil
}

// each enters each item of a list.
func (n *keyed[T]) each(c *Comparison, list []T, do func(item *T)) {
	for i := range list {
		n.item = &list[i]
		element, err := n.element()
		if err != nil {
			c.fail(fmt.Errorf("item %d: %w", i, err))
			continue
		}
		c.EnterItem(element)
		do(n.item)
		c.Leave()
	}
}

// distinct says whether no two items of a short list have the same key.
func distinct[T any](list []T, same func(a, b *T) bool) bool {
	if len(list) > few {
		return false
	}
	for i := range list {
		for j := range i {
			if same(&list[i], &list[j]) {
				return false
			}
		}
	}
	return true
}

// aligned says whether two lists have the same keys in the same order, each of them once.
func aligned[T any](was, is []T, same func(a, b *T) bool) bool {
	if len(was) != len(is) {
		return false
	}
	for i := range was {
		if !same(&was[i], &is[i]) {
			return false
		}
	}
	return distinct(was, same)
}

// places are where the items with one name are in the two lists.
type places struct {
	element  fieldpath.PathElement
	old, obj []int
}

// items compares the items of two lists by their names. Items with the same name are one field, as
// long as there are several of them.
func items[T any](c *Comparison, was, is []T, name func(*T) (fieldpath.PathElement, error), values compare[T]) {
	var order []*places
	byText := make(map[string]*places, max(len(was), len(is)))
	find := func(item *T, i int) *places {
		element, err := name(item)
		if err != nil {
			c.fail(fmt.Errorf("item %d: %w", i, err))
			return nil
		}
		text, err := fieldpath.SerializePathElement(element)
		if err != nil {
			c.fail(fmt.Errorf("item %d: %w", i, err))
			return nil
		}
		p := byText[text]
		if p == nil {
			p = &places{element: element}
			byText[text] = p
			order = append(order, p)
		}
		return p
	}
	for i := range was {
		if p := find(&was[i], i); p != nil {
			p.old = append(p.old, i)
		}
	}
	for i := range is {
		if p := find(&is[i], i); p != nil {
			p.obj = append(p.obj, i)
		}
	}
	for _, p := range order {
		c.EnterItem(p.element)
		p.compare(c, func(i, j int) bool { return Same(&was[i], &is[j]) }, func(i, j int) {
			if values == nil {
				return
			}
			var old, obj *T
			if i >= 0 {
				old = &was[i]
			}
			if j >= 0 {
				obj = &is[j]
			}
			values(c, old, obj)
		})
		c.Leave()
	}
}

// compare compares the items with one name: same two of them as a whole, values by what is in them,
// where -1 is none.
func (p *places) compare(c *Comparison, same func(i, j int) bool, values func(i, j int)) {
	one := func(list []int) int {
		if len(list) == 1 {
			return list[0]
		}
		return -1
	}
	switch was, is := len(p.old), len(p.obj); {
	case was <= 1 && is <= 1:
		values(one(p.old), one(p.obj))
		c.mark(was == 1, is == 1)
	case was > 1 && is > 1:
		for k := range min(was, is) {
			if was != is || !same(p.old[k], p.obj[k]) {
				c.Change()
				return
			}
		}
	case was > 1:
		if is == 1 {
			values(-1, p.obj[0])
			c.Change()
		}
		c.Remove()
	default:
		if was == 1 {
			values(p.old[0], -1)
			c.Remove()
		}
		c.Change()
	}
}
