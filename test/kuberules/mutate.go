package kuberules

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// mutation is one change of a document.
type mutation struct {
	path string // of what was changed, with indexes, like spec.containers[0].name
	what string // the change, for people
	make func() map[string]any
}

// mutations are the changes of a document that a type describes, below a top-level field. Each
// value that is there is made wrong in the ways of its type, and taken out. Each field that is not
// there is set.
func mutations(doc map[string]any, t reflect.Type, below string) []mutation {
	var out []mutation
	w := walker{emit: func(path []any, what string, value any) {
		out = append(out, mutation{shown(path), what, func() map[string]any { return changed(doc, path, value).(map[string]any) }})
	}}
	f, ok := fieldsOf(t)[below]
	if !ok {
		return nil
	}
	w.field(doc, f, []any{below})
	return out
}

// absent is the value of a field that is taken out.
type absent struct{}

// walker goes through a document and its type at once.
type walker struct {
	emit func(path []any, what string, value any)
}

// field changes a field of an object.
func (w walker) field(in map[string]any, t reflect.Type, path []any) {
	value, there := in[path[len(path)-1].(string)]
	if !there {
		for _, v := range wrong(t) {
			w.emit(path, fmt.Sprintf("set to %s", text(v)), v)
		}
		return
	}
	w.emit(path, "taken out", absent{})
	w.value(value, t, path)
}

func (w walker) value(value any, t reflect.Type, path []any) {
	for _, v := range wrong(t) {
		w.emit(path, fmt.Sprintf("set to %s", text(v)), v)
	}
	t = pointee(t)
	switch value := value.(type) {
	case map[string]any:
		if t.Kind() == reflect.Map {
			for _, key := range slices.Sorted(maps.Keys(value)) {
				w.value(value[key], t.Elem(), with(path, key))
				w.emit(with(path, "Bad key!"), "added", value[key])
			}
			return
		}
		fields := fieldsOf(t)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			w.field(value, fields[name], with(path, name))
		}
	case []any:
		if len(value) > 0 {
			w.emit(path, "first item doubled", append(slices.Clone(value), value[0]))
			w.emit(path, "emptied", []any{})
		}
		for i, item := range value {
			if t.Kind() == reflect.Slice {
				w.value(item, t.Elem(), with(path, i))
			}
		}
	case bool:
		w.emit(path, fmt.Sprint("set to ", !value), !value)
	}
}

// wrong are values of a type that are no good in most places.
func wrong(t reflect.Type) []any {
	t = pointee(t)
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return []any{"-1", "0", "1500m", "1Gi"}
	case reflect.TypeFor[intstr.IntOrString]():
		return []any{-1, 0, 70000, "Bad text!", "150%", "25%"}
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return []any{"2026-01-01T00:00:00.000000Z"}
	case reflect.TypeFor[runtime.RawExtension]():
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return []any{"", "Bad text!", "word", "../x", strings.Repeat("a", 300)}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return []any{-1, 0, 1, 1 << 30}
	case reflect.Bool:
		return []any{true}
	case reflect.Struct:
		return []any{map[string]any{}}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []any{"YQ=="}
		}
		var out []any
		for _, v := range wrong(t.Elem()) {
			out = append(out, []any{v})
		}
		return out
	case reflect.Map:
		var out []any
		for _, v := range wrong(t.Elem()) {
			out = append(out, map[string]any{"Bad key!": v}, map[string]any{"word": v})
		}
		return out
	}
	return nil
}

// fieldsOf are the types of a struct's fields by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	t = pointee(t)
	if t.Kind() != reflect.Struct {
		return out
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			maps.Copy(out, fieldsOf(f.Type))
		case name != "":
			out[name] = f.Type
		}
	}
	return out
}

func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// changed is a copy of a document with another value at a path.
func changed(in any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch step := path[0].(type) {
	case int:
		out := slices.Clone(in.([]any))
		out[step] = changed(out[step], path[1:], value)
		return out
	case string:
		out, ok := in.(map[string]any)
		if out = maps.Clone(out); !ok {
			out = map[string]any{}
		}
		if _, gone := value.(absent); gone && len(path) == 1 {
			delete(out, step)
			return out
		}
		out[step] = changed(out[step], path[1:], value)
		return out
	}
	panic("a path has names and indexes")
}

func with(path []any, step any) []any { return append(slices.Clone(path), step) }

func shown(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

func text(v any) string {
	if s, ok := v.(string); ok && len(s) > 50 {
		return fmt.Sprintf("%d letters", len(s))
	}
	return fmt.Sprintf("%#v", v)
}
