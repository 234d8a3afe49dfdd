package lossless

import (
	"encoding/json"
	"reflect"
	"strings"
)

// What an annotation says anybody may have written who sends an object.
const (
	// maxMemory is how much memory a field may take that is restored of it, in bytes, beside its
	// strings.
	maxMemory = 64 << 20
	// maxTried is how many bytes of annotations are read for one object, if not all of one fits.
	maxTried = 16 << 20
)

// room is the memory that may still be taken.
type room struct {
	left   int
	fields map[reflect.Type][]reflect.StructField
}

// fits says whether a tree may be read into a variable of a type. It takes memory from the room,
// and must hold no number that takes too long to be read.
func (r *room) fits(t reflect.Type, tree any) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
		r.left -= int(t.Size())
	}
	switch tree := tree.(type) {
	case string:
		return t.Kind() != reflect.Struct || !long(tree)
	case json.Number:
		return t.Kind() != reflect.Struct || !long(string(tree))
	case []any:
		return t.Kind() != reflect.Slice && t.Kind() != reflect.Array || r.fitsList(t.Elem(), tree)
	case map[string]any:
		return r.fitsObject(t, tree)
	}
	return true
}

func (r *room) fitsList(item reflect.Type, list []any) bool {
	r.left -= len(list) * int(item.Size())
	for _, value := range list {
		if r.left < 0 || !r.fits(item, value) {
			return false
		}
	}
	return r.left >= 0
}

func (r *room) fitsObject(t reflect.Type, object map[string]any) bool {
	for key, value := range object {
		switch t.Kind() {
		case reflect.Map:
			r.left -= int(t.Key().Size() + t.Elem().Size())
			if r.left < 0 || !r.fits(t.Elem(), value) {
				return false
			}
		case reflect.Struct:
			for _, f := range r.fieldsOf(t) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "" {
					name = f.Name
				}
				if strings.EqualFold(key, name) && !r.fits(f.Type, value) {
					return false
				}
			}
		}
	}
	return r.left >= 0
}

func (r *room) fieldsOf(t reflect.Type) []reflect.StructField {
	fields, ok := r.fields[t]
	if !ok {
		fields = reflect.VisibleFields(t)
		r.fields[t] = fields
	}
	return fields
}

// long says whether a text that a struct reads by itself may be a quantity that keeps a processor
// busy: package resource took nine seconds for 1e-30000000.
func long(text string) bool {
	const digits = "0123456789"
	text = strings.TrimSpace(text)
	suffix := strings.TrimLeft(text, "+-."+digits)
	switch number := len(text) - len(suffix); {
	case number > 10_000:
		return true
	case number == 0 || suffix == "" || suffix[0] != 'e' && suffix[0] != 'E':
		return false
	}
	exponent := strings.TrimLeft(suffix[1:], "+-")
	return len(exponent)-len(strings.TrimLeft(exponent, digits)) > 3
}
