// Package query reads the parameters of a URL into a struct, by the names that its fields have in
// JSON. Start reading at Of.
package query

import (
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// Query says how the parameters of a request become the fields of a struct. It is worked out once
// for a type.
type Query []queryField

type queryField struct {
	name  string
	index []int
	parse parse
	// kind is what the parameter is in OpenAPI.
	kind string
}

// parse puts the values of a parameter, one at least, into a field.
type parse func(field reflect.Value, values []string) error

// Of works out the Query of a struct, or says what is wrong with it.
func Of[O any]() (Query, string) {
	t := reflect.TypeFor[O]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Sprintf("its options are a %s: want a struct", t)
	}
	var q Query
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || name == "-" || below(t, f, reflect.TypeFor[metav1.TypeMeta]()) || below(t, f, reflect.TypeFor[metav1.ObjectMeta]()) {
			continue
		}
		if f.Type == reflect.TypeFor[metav1.ObjectMeta]() {
			continue
		}
		if len(f.Index) > 1 && t.FieldByIndex(f.Index[:len(f.Index)-1]).Type.Kind() == reflect.Pointer {
			return nil, fmt.Sprintf("field %s of its options is in a struct that is embedded by a pointer: embed the struct", f.Name)
		}
		parse, kind := parserOf(f.Type)
		if parse == nil {
			return nil, fmt.Sprintf("field %s of its options is a %s, which no parameter of a URL can be", f.Name, f.Type)
		}
		q = append(q, queryField{name: name, index: f.Index, parse: parse, kind: kind})
	}
	return q, ""
}

// below says whether a field of t belongs to a struct of a type that t embeds.
func below(t reflect.Type, f reflect.StructField, embedded reflect.Type) bool {
	for i := range len(f.Index) - 1 {
		if t.FieldByIndex(f.Index[:i+1]).Type == embedded {
			return true
		}
	}
	return false
}

// Read fills options, a pointer to the struct.
func (q Query) Read(values url.Values, options any) error {
	v := reflect.ValueOf(options).Elem()
	for _, f := range q {
		given := values[f.name]
		if len(given) == 0 {
			continue
		}
		if err := f.parse(v.FieldByIndex(f.index), given); err != nil {
			return apierrors.NewBadRequest(fmt.Sprintf("%s: %v", f.name, err))
		}
	}
	return nil
}

func (q Query) Parameters() []rest.QueryParameter {
	var out []rest.QueryParameter
	for _, f := range q {
		out = append(out, rest.QueryParameter{Name: f.name, Type: f.kind})
	}
	return out
}

// parserOf returns how a type is read, and what it is called in OpenAPI; nil for one that can't be.
func parserOf(t reflect.Type) (parse, string) {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return parseTime, "string"
	case reflect.TypeFor[metav1.Duration]():
		return parseDuration, "string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer {
			return nil, ""
		}
		of, kind := parserOf(t.Elem())
		if of == nil {
			return nil, ""
		}
		return func(field reflect.Value, values []string) error {
			field.Set(reflect.New(t.Elem()))
			return of(field.Elem(), values)
		}, kind
	case reflect.Slice:
		if of, kind := parserOf(t.Elem()); kind == "string" || kind == "integer" || kind == "number" {
			return parseEach(of), "array"
		}
	case reflect.String:
		return func(field reflect.Value, values []string) error { field.SetString(values[0]); return nil }, "string"
	case reflect.Bool:
		return parseBool, "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return parseInt, "integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return parseUint, "integer"
	case reflect.Float32, reflect.Float64:
		return parseFloat, "number"
	}
	return nil, ""
}

// parseEach makes a list of all values of a parameter.
func parseEach(of parse) parse {
	return func(field reflect.Value, values []string) error {
		list := reflect.MakeSlice(field.Type(), len(values), len(values))
		for i := range values {
			if err := of(list.Index(i), values[i:i+1]); err != nil {
				return err
			}
		}
		field.Set(list)
		return nil
	}
}

// parseBool is true for everything but "0" and "false", also for a parameter without a value.
func parseBool(field reflect.Value, values []string) error {
	field.SetBool(values[0] != "0" && !strings.EqualFold(values[0], "false"))
	return nil
}

func parseInt(field reflect.Value, values []string) error {
	n, err := strconv.ParseInt(values[0], 10, field.Type().Bits())
	if err != nil {
		return fmt.Errorf("%q is not a number that fits", values[0])
	}
	field.SetInt(n)
	return nil
}

func parseUint(field reflect.Value, values []string) error {
	n, err := strconv.ParseUint(values[0], 10, field.Type().Bits())
	if err != nil {
		return fmt.Errorf("%q is not a number from 0 up that fits", values[0])
	}
	field.SetUint(n)
	return nil
}

func parseFloat(field reflect.Value, values []string) error {
	n, err := strconv.ParseFloat(values[0], field.Type().Bits())
	if err != nil {
		return fmt.Errorf("%q is not a number", values[0])
	}
	field.SetFloat(n)
	return nil
}

// parseTime takes "" and "null" for no time at all.
func parseTime(field reflect.Value, values []string) error {
	text := values[0]
	if text == "" || text == "null" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q is not a time like 2006-01-02T15:04:05Z", text)
	}
	field.Set(reflect.ValueOf(metav1.NewTime(at)))
	return nil
}

func parseDuration(field reflect.Value, values []string) error {
	d, err := time.ParseDuration(values[0])
	if err != nil {
		return fmt.Errorf("%q is not a duration like 10s", values[0])
	}
	field.Set(reflect.ValueOf(metav1.Duration{Duration: d}))
	return nil
}
