package json

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// Fits says why reflection must not read data into a variable of a type. It is ErrTooLarge if that
// takes more than so many bytes, counted as Limit counts, or what a guard says. Types that read
// themselves count nothing. Data that is no JSON, or not for the type, fits: whoever reads it says
// so.
func Fits(data []byte, t reflect.Type, bytes int, guard func(t reflect.Type, value []byte) error) error {
	r := NewReader(data).Limit(bytes).Guard(guard)
	r.weigh(t)
	if r.broken && json.Valid(data) {
		return ErrTooDeep
	}
	return r.hard
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	anything        = reflect.TypeFor[any]()
)

// weigh passes over a value and takes what it would allocate.
func (r *Reader) weigh(t reflect.Type) {
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textUnmarshaler) {
		r.pass(t, r.Raw())
		return
	}
	switch c := r.peek(); {
	case t.Kind() == reflect.Pointer:
		if c != 'n' {
			r.take(t.Elem().Size())
		}
		r.weigh(t.Elem())
	case t.Kind() == reflect.Interface:
		r.weighAny(c)
	case t.Kind() == reflect.Struct && c == '{':
		r.weighFields(t)
	case t.Kind() == reflect.Map && c == '{':
		r.weighEntries(t.Key(), t.Elem())
	case t.Kind() == reflect.Slice && c == '[':
		r.weighItems(t.Elem(), 2*t.Elem().Size()) // a list that grows leaves as much as garbage
	case t.Kind() == reflect.Array && c == '[':
		r.weighArray(t.Elem())
	default:
		r.skip()
	}
}

func (r *Reader) weighAny(first byte) {
	switch first {
	case '{':
		r.weighEntries(reflect.TypeFor[string](), anything)
	case '[':
		r.weighItems(anything, 2*anything.Size())
	default:
		r.take(anything.Size())
		r.skip()
	}
}

func (r *Reader) weighFields(t reflect.Type) {
	if !r.BeginObject("") {
		return
	}
	fields := fieldsOf(t)
	for r.NextField("") {
		if field := fields[r.Name()]; field != nil {
			r.weigh(field)
		} else {
			r.skip()
		}
	}
}

func (r *Reader) weighEntries(key, value reflect.Type) {
	if !r.BeginObject("") {
		return
	}
	r.take(mapSize)
	for r.NextField("") {
		r.take(entryCost + 3*(key.Size()+value.Size())/2)
		r.weigh(value)
	}
}

func (r *Reader) weighItems(item reflect.Type, size uintptr) {
	if !r.beginArray("") {
		return
	}
	cost := uintptr(ItemCost(item))
	for r.nextElement() {
		if item.Kind() == reflect.Interface {
			cost = r.nextItemCost()
		}
		r.take(cost + size)
		r.weigh(item)
	}
}

// weighArray passes over the items of a Go array, whose size is a part of the value around it.
func (r *Reader) weighArray(item reflect.Type) {
	if !r.beginArray("") {
		return
	}
	for r.nextElement() {
		r.weigh(item)
	}
}

var fieldTypes sync.Map // of map[string]reflect.Type, by the type of a struct

// fieldsOf has the type of each field of a struct by its name in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := fieldTypes.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() || f.Anonymous && name == "" && isStruct(f.Type):
			continue // an embedded struct's own fields are visible, too
		case name == "":
			name = f.Name
		}
		if fields[name] == nil || len(f.Index) == 1 { // those of the struct hide those of what it embeds
			fields[name] = f.Type
		}
	}
	fieldTypes.Store(t, fields)
	return fields
}

// isStruct is also true of a pointer to one.
func isStruct(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}
