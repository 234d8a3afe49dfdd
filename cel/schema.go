package cel

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apiserver/pkg/cel/common"
)

// schema is what a Go type is in JSON, as far as Kubernetes' values for CEL ask for it. What they
// do not ask has no method here.
type schema struct {
	common.Schema
	Field
	of     reflect.Type
	said   map[string]Field
	embeds bool // an object that says itself of which kind it is

	once       sync.Once // for the two below: types can be recursive
	properties map[string]common.Schema
	items      common.Schema // or the values of a map
}

// known are types that do not look in JSON as they do in Go.
var known = map[reflect.Type]Field{
	reflect.TypeFor[metav1.Time]():          {Type: "string", Format: "date-time"},
	reflect.TypeFor[metav1.MicroTime]():     {Type: "string", Format: "date-time"},
	reflect.TypeFor[time.Time]():            {Type: "string", Format: "date-time"},
	reflect.TypeFor[metav1.Duration]():      {Type: "string"},
	reflect.TypeFor[resource.Quantity]():    {Type: intOrString},
	reflect.TypeFor[intstr.IntOrString]():   {Type: intOrString},
	reflect.TypeFor[runtime.RawExtension](): {Type: "object"},
}

// intOrString stands for what is one of the two; unknown for what may be anything.
const (
	intOrString = "int-or-string"
	unknown     = ""
)

func newSchema(t reflect.Type, fields []Field) common.Schema {
	said := map[string]Field{}
	for _, f := range fields {
		said[f.Of] = f
	}
	return schemaOf(t, said, Field{})
}

// schemaOf is the schema of a type, of which a marker may say more.
func schemaOf(t reflect.Type, said map[string]Field, marked Field) *schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := &schema{of: t, said: said, Field: marked, embeds: t == reflect.TypeFor[runtime.RawExtension]()}
	if s.Field.Type == "" {
		s.Field.Type = typeOf(t)
	}
	if s.Field.Format == "" {
		s.Field.Format = formatOf(t)
	}
	return s
}

func typeOf(t reflect.Type) string {
	if k, ok := known[t]; ok {
		return k.Type
	}
	implements := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case implements(reflect.TypeFor[json.Marshaler]()) && t.Kind() != reflect.String:
		return unknown
	case implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		if isBytes(t) {
			return "string"
		}
		return "array"
	}
	return unknown
}

func formatOf(t reflect.Type) string {
	if isBytes(t) && typeOf(t) == "string" {
		return "byte"
	}
	return known[t].Format
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// open reads what is in the type.
func (s *schema) open() {
	s.once.Do(func() {
		if s.embeds {
			return
		}
		switch s.of.Kind() {
		case reflect.Struct:
			s.properties = map[string]common.Schema{}
			s.addFields(s.of)
		case reflect.Slice, reflect.Array, reflect.Map:
			s.items = schemaOf(s.of.Elem(), s.said, Field{})
		}
	})
}

// addFields adds the fields of a struct, and of those that stand in its place.
func (s *schema) addFields(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" && options == "":
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")) && inner.Kind() == reflect.Struct:
			s.addFields(inner)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			s.properties[name] = schemaOf(f.Type, s.said, s.said[t.PkgPath()+"."+t.Name()+"."+f.Name])
		}
	}
}

func (s *schema) Type() string {
	if s.Field.Type == intOrString {
		return ""
	}
	return s.Field.Type
}

func (s *schema) Format() string         { return s.Field.Format }
func (s *schema) XListType() string      { return s.ListType }
func (s *schema) XListMapKeys() []string { return s.MapKeys }
func (s *schema) Nullable() bool         { return true }

func (s *schema) IsXIntOrString() bool           { return s.Field.Type == intOrString }
func (s *schema) IsXPreserveUnknownFields() bool { return s.Field.Type == unknown || s.embeds }
func (s *schema) IsXEmbeddedResource() bool      { return s.embeds }

func (s *schema) Properties() map[string]common.Schema {
	s.open()
	return s.properties
}

func (s *schema) Items() common.Schema {
	s.open()
	return s.items
}

// AdditionalProperties are the values of a map.
func (s *schema) AdditionalProperties() common.SchemaOrBool {
	s.open()
	if s.items == nil || s.Field.Type != "object" {
		return nil
	}
	return values{s.items}
}

type values struct{ of common.Schema }

func (v values) Schema() common.Schema { return v.of }
func (v values) Allows() bool          { return true }

// WithTypeAndObjectMeta is what an embedded object shows in any case.
func (s *schema) WithTypeAndObjectMeta() common.Schema {
	return schemaOf(reflect.TypeFor[struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        struct {
			Name         string `json:"name"`
			GenerateName string `json:"generateName"`
		} `json:"metadata"`
	}](), nil, Field{})
}
