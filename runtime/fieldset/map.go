package fieldset

import (
	"encoding"
	"fmt"
	"reflect"
)

// Map compares maps of which each key is owned by itself, by what compares their values.
func Map[M ~map[K]V, K comparable, V any](c *Comparison, old, obj *M, values compare[V]) {
	was, is := valueOf(old), valueOf(obj)
	if len(was) == 0 && len(is) == 0 {
		nullOrEmpty(c, old != nil && obj != nil, was == nil, is == nil)
		return
	}
	for key, value := range was {
		if next, ok := is[key]; ok {
			entry(c, key, &value, &next, values)
		} else {
			entry(c, key, &value, nil, values)
		}
	}
	for key, value := range is {
		if _, ok := was[key]; !ok {
			entry(c, key, nil, &value, values)
		}
	}
}

// Values is Map for values that are owned as a whole and can be compared by Go.
func Values[M ~map[K]V, K, V comparable](c *Comparison, old, obj *M) {
	was, is := valueOf(old), valueOf(obj)
	if len(was) == 0 && len(is) == 0 {
		nullOrEmpty(c, old != nil && obj != nil, was == nil, is == nil)
		return
	}
	for key, value := range was {
		if next, ok := is[key]; !ok || next != value {
			c.Leaf(keyText(key), true, ok, false)
		}
	}
	for key := range is {
		if _, ok := was[key]; !ok {
			c.Leaf(keyText(key), false, true, false)
		}
	}
}

func entry[K comparable, V any](c *Comparison, key K, old, obj *V, values compare[V]) {
	c.Enter(keyText(key))
	values(c, old, obj)
	c.mark(old != nil, obj != nil)
	c.Leave()
}

// nullOrEmpty compares two lists or maps that have nothing in them, if both are there: null is not
// the same as empty.
func nullOrEmpty(c *Comparison, both, wasNull, isNull bool) {
	if both && wasNull != isNull {
		c.Change()
	}
}

func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// keyText is a key as JSON shows it.
func keyText[K comparable](key K) string {
	if text, ok := any(key).(string); ok {
		return text
	}
	v := reflect.ValueOf(key)
	if v.Kind() == reflect.String {
		return v.String()
	}
	if m, ok := any(key).(encoding.TextMarshaler); ok {
		if text, err := m.MarshalText(); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(key)
}
