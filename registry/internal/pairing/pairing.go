// Package pairing tells which fields of one version of a kind another version has too, for
// violations of the one version that a client of the other is to mend.
//
// A field has a partner where its struct has one, and that has a field of the same name, in Go or
// in JSON. So conversions pair them, and so does the generator when it compares the rules of two
// versions. A field that a conversion by hand renames or moves has none.
//
// The package looks at types by reflection, and never at objects: it is asked when there is a
// violation.
package pairing

import (
	"reflect"
	"strings"
)

// Fields are the pairs of fields of two versions. It belongs to one goroutine.
type Fields struct {
	version, other reflect.Type
	answers        map[string]answer
	compared       map[[2]reflect.Type]bool
}

// answer is what is known of a path, except for the indexes and keys in it.
type answer struct{ shared, whole bool }

// Of returns the pairs of the Go types of two versions.
func Of(version, other reflect.Type) *Fields {
	return &Fields{version: version, other: other, answers: map[string]answer{}, compared: map[[2]reflect.Type]bool{}}
}

// Shared says whether the other version has the field of a path, like "spec.beds[0].width". A path
// that leads to no field of the version counts as shared.
func (f *Fields) Shared(path string) bool { return f.find(path).shared }

// Whole says the same of the field and of all that is in it.
func (f *Fields) Whole(path string) bool { return f.find(path).whole }

func (f *Fields) find(path string) answer {
	path = pattern(path)
	found, ok := f.answers[path]
	if !ok {
		found = f.walk(path)
		f.answers[path] = found
	}
	return found
}

// pattern takes the indexes and keys out of a path.
func pattern(path string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(path, "[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("[]")
		_, path, _ = strings.Cut(after, "]")
	}
}

// walk follows a pattern in both versions. other is nil from where it has no partner.
func (f *Fields) walk(path string) answer {
	version, other := pointee(f.version), pointee(f.other)
	if path == "" || path == "<nil>" { // the object itself
		return answer{true, f.same(version, other)}
	}
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		var name string
		if step == "[]" {
			version, other = elem(version), elem(other)
		} else {
			version, name = fieldOf(version, step, "")
			other, _ = fieldOf(other, step, name)
		}
		if version == nil {
			return answer{true, true}
		}
	}
	return answer{other != nil, other != nil && f.same(version, other)}
}

// TypeAt returns the Go type of the field at a path in a struct type, without pointers. It is nil
// if there is no such field.
func TypeAt(t reflect.Type, path string) reflect.Type {
	t = pointee(t)
	for step := range strings.SplitSeq(strings.ReplaceAll(pattern(path), "[", ".["), ".") {
		if step == "[]" {
			t = elem(t)
		} else {
			t, _ = fieldOf(t, step, "")
		}
	}
	return t
}

// same says whether all fields in a type have partners in another one.
func (f *Fields) same(version, other reflect.Type) bool {
	version, other = pointee(version), pointee(other)
	if version == other {
		return true
	}
	pair := [2]reflect.Type{version, other}
	if known, ok := f.compared[pair]; ok {
		return known
	}
	f.compared[pair] = true // inside of itself a type is as good as around it
	f.compared[pair] = f.sameParts(version, other)
	return f.compared[pair]
}

func (f *Fields) sameParts(version, other reflect.Type) bool {
	switch version.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		in := elem(other)
		return in != nil && f.same(version.Elem(), in)
	case reflect.Struct:
		if other.Kind() != reflect.Struct {
			return false
		}
		for field := range fieldsOf(version) {
			partner, _ := fieldOf(other, jsonName(field), field.Name)
			if partner == nil || !f.same(field.Type, partner) {
				return false
			}
		}
	}
	return true
}

// fieldOf returns the type of the field of a struct that has a name in JSON, or else in Go, and its
// name in Go; nil if there is none.
func fieldOf(t reflect.Type, json, name string) (reflect.Type, string) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, ""
	}
	var second reflect.Type
	for field := range fieldsOf(t) {
		if jsonName(field) == json {
			return pointee(field.Type), field.Name
		}
		if field.Name == name {
			second = pointee(field.Type)
		}
	}
	return second, name
}

// fieldsOf ranges over the fields of a struct as JSON shows them: those of structs that are inlined
// are among them.
func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) { eachField(t, yield) }
}

func eachField(t reflect.Type, yield func(reflect.StructField) bool) bool {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		inlined := name == "" && (field.Anonymous || strings.Contains(options, "inline"))
		switch in := pointee(field.Type); {
		case name == "-" || !inlined && !field.IsExported():
		case inlined && in.Kind() == reflect.Struct:
			if !eachField(in, yield) {
				return false
			}
		case !yield(field):
			return false
		}
	}
	return true
}

func jsonName(field reflect.StructField) string {
	if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
		return name
	}
	return field.Name
}

// elem is what a list or a map has; nil if t is neither.
func elem(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return pointee(t.Elem())
	}
	return nil
}

func pointee(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
