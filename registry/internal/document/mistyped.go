package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/runtime/quantity"
)

// Mistyped are the values in the text of an object that a Go type can't take, each with its path.
// unknown are the paths of the members that the type does not have, in quotes. There are no more
// than most of each.
func Mistyped(text []byte, of reflect.Type, most int) (errs field.ErrorList, unknown []string) {
	tree, err := readTree(text)
	if err != nil {
		return nil, nil
	}
	m := mistyped{most: most, types: map[reflect.Type]typeInJSON{}}
	m.value(of, tree, nil)
	return m.errs, m.unknown
}

// mistyped collects errors.
type mistyped struct {
	errs    field.ErrorList
	unknown []string
	most    int
	types   map[reflect.Type]typeInJSON // those that were met
}

// typeInJSON is what a Go type is in JSON.
type typeInJSON struct {
	itself  bool                    // it reads itself
	members map[string]reflect.Type // of a struct
}

// of looks at a type once, for there may be a million values of it.
func (m *mistyped) of(t reflect.Type) typeInJSON {
	known, ok := m.types[t]
	if !ok {
		if known.itself = readsItself(t); !known.itself && t.Kind() == reflect.Struct {
			known.members = membersOf(t)
		}
		m.types[t] = known
	}
	return known
}

func (m *mistyped) add(err *field.Error) {
	if len(m.errs) < m.most {
		m.errs = append(m.errs, err)
	}
}

func (m *mistyped) value(t reflect.Type, value any, path *field.Path) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if value == nil || t.Kind() == reflect.Interface {
		return
	}
	if m.of(t).itself {
		if err := readItself(t, jsontree.Append(nil, value)); err != nil {
			m.add(field.Invalid(path, value, err.Error()))
		}
		return
	}
	want := wordOf(t)
	if !fits(want, value) {
		m.add(field.TypeInvalid(path, wordOfValue(value), "must be of type "+want))
		return
	}
	switch value := value.(type) {
	case map[string]any:
		m.object(t, value, path)
	case []any:
		for i, item := range value {
			m.value(t.Elem(), item, path.Index(i))
		}
	case int64, uint64:
		if err := json.Unmarshal(jsontree.Append(nil, value), reflect.New(t).Interface()); err != nil {
			m.add(field.Invalid(path, value, fmt.Sprintf("must fit into %d bits", t.Bits())))
		}
	}
}

// readItself says why a type does not read a text.
func readItself(t reflect.Type, text []byte) error {
	if err := quantity.Guard(t, text); err != nil {
		return err
	}
	return json.Unmarshal(text, reflect.New(t).Interface())
}

func (m *mistyped) object(t reflect.Type, object map[string]any, path *field.Path) {
	if t.Kind() == reflect.Map {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			m.value(t.Elem(), object[key], path.Key(key))
		}
		return
	}
	members := m.of(t).members
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if member, known := members[name]; known {
			m.value(member, object[name], path.Child(name))
		} else if len(m.unknown) < m.most {
			m.unknown = append(m.unknown, strconv.Quote(path.Child(name).String()))
		}
	}
}

// The types that values have in JSON, in the words of OpenAPI.
const (
	typeObject  = "object"
	typeArray   = "array"
	typeString  = "string"
	typeBoolean = "boolean"
	typeInteger = "integer"
	typeNumber  = "number"
)

// wordOf is the type that values of a Go type have in JSON.
func wordOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return typeObject
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return typeString // in base64
		}
		return typeArray
	case reflect.String:
		return typeString
	case reflect.Bool:
		return typeBoolean
	case reflect.Float32, reflect.Float64:
		return typeNumber
	}
	return typeInteger
}

// wordOfValue is the type of a value of a tree.
func wordOfValue(value any) string {
	switch value.(type) {
	case map[string]any:
		return typeObject
	case []any:
		return typeArray
	case string:
		return typeString
	case bool:
		return typeBoolean
	case int64, uint64:
		return typeInteger
	}
	return typeNumber
}

func fits(want string, value any) bool {
	have := wordOfValue(value)
	return have == want || want == typeNumber && have == typeInteger
}
