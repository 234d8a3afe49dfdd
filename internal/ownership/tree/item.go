package tree

import (
	"errors"
	"fmt"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/typeplane/typeplane/internal/jsontree"
)

// identity is a text that items with the same name have, and no others.
func (l *list) identity(item any) (string, error) {
	if len(l.keys) == 0 {
		switch item.(type) {
		case map[string]any:
			return "", errors.New("associative list without keys has an element that's a map type")
		case []any:
			return "", errors.New("not supported: associative list with lists as elements")
		case nil:
			return "", errors.New("associative list without keys has an element that's an explicit null")
		}
		return string(jsontree.Append(nil, item)), nil
	}
	object, ok := item.(map[string]any)
	switch {
	case item == nil:
		return "", errors.New("associative list with keys may not have a null element")
	case !ok:
		return "", errors.New("associative list with keys may not have non-map elements")
	}
	var room [64]byte
	text, keys := room[:0], 0
	for i, name := range l.keys {
		v, ok, err := l.key(object, name)
		if err != nil {
			return "", err
		}
		if ok {
			text = append(strconv.AppendInt(text, int64(i), 10), ':')
			text = jsontree.Append(text, v)
			keys++
		}
	}
	if keys == 0 {
		return "", fmt.Errorf("associative list with keys has an element that omits all key fields %q (and doesn't have default values for any key fields)", l.keys)
	}
	return string(text), nil
}

// key is what an item has at a key, or what it has otherwise.
func (l *list) key(item map[string]any, name string) (v any, ok bool, err error) {
	if v, ok = item[name]; ok {
		return v, true, nil
	}
	if l.items.kinds&isObject == 0 {
		return nil, false, fmt.Errorf("couldn't find default value for %v: associative list may not have non-map types", name)
	}
	v = l.items.object.fields[name].otherwise
	return v, v != nil, nil
}

// element is how an item that has an identity is called in paths.
func (l *list) element(item any) fieldpath.PathElement {
	if len(l.keys) == 0 {
		v := value.NewValueInterface(signed(item))
		return fieldpath.PathElement{Value: &v}
	}
	key := make(value.FieldList, 0, len(l.keys))
	for _, name := range l.keys {
		if v, ok, _ := l.key(item.(map[string]any), name); ok {
			key = append(key, value.Field{Name: name, Value: value.NewValueInterface(signed(v))})
		}
	}
	key.Sort()
	return fieldpath.PathElement{Key: &key}
}

// signed is a value that paths can hold: their library panics at large unsigned integers.
func signed(v any) any {
	if n, ok := v.(uint64); ok {
		return float64(n)
	}
	return v
}

// items are the items of a list by their identities.
type items struct {
	order []string // of all items that have one, again and again if they are there several times
	at    map[string][]any
}

func (l *list) itemsOf(v []any) items {
	x := items{make([]string, 0, len(v)), make(map[string][]any, len(v))}
	for _, item := range v {
		if id, err := l.identity(item); err == nil {
			x.order = append(x.order, id)
			x.at[id] = append(x.at[id], item)
		}
	}
	return x
}

// one is the item with an identity: null if there are several, absent if there is none.
func (x *items) one(id string) any {
	switch found := x.at[id]; len(found) {
	case 0:
		return absent
	case 1:
		return found[0]
	}
	return nil
}
