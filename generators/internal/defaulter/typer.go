package defaulter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/model"
	"k8s.io/gengo/v2/types"
)

// typer turns defaults into Go expressions of a type.
type typer struct {
	model *model.Model
	out   string // import path of the printed package
}

// typed returns the default as an expression of type t; nil if an unset t is that already.
func (c typer) typed(t *types.Type, w written) (value, error) {
	var v value
	if name, ok := w.reference(); ok {
		ref, err := c.reference(t, name)
		if err != nil {
			return nil, err
		}
		v = ref
	} else {
		raw, err := w.json(t)
		if err != nil {
			return nil, err
		}
		if v, err = c.json(t, raw); err != nil {
			return nil, err
		}
	}
	if isZero(v) {
		return nil, nil
	}
	return v, nil
}

// isZero tells whether an expression is the zero value of its type.
func isZero(v value) bool {
	switch v := v.(type) {
	case literal:
		return v == "0" || v == `""` || v == "false" || v == "nil"
	case composite:
		if k := model.Underlying(v.typ).Kind; k != types.Struct && k != types.Array {
			return false
		}
		for _, e := range v.elements {
			if !isZero(e.value) {
				return false
			}
		}
		return true
	}
	return false
}

// wrong says what is wrong with a part of a JSON value.
type wrong struct{ path, message string }

func (w wrong) Error() string {
	if w.path == "" {
		return w.message
	}
	return w.path + ": " + w.message
}

// inside puts a step before the path of an error.
func inside(step string, err error) error {
	if w, ok := err.(wrong); ok {
		if w.path != "" && w.path[0] != '[' {
			step += "."
		}
		return wrong{step + w.path, w.message}
	}
	return err
}

func wrongf(format string, args ...any) error { return wrong{message: fmt.Sprintf(format, args...)} }

// json returns the expression that decoding raw into a t would give.
func (c typer) json(t *types.Type, raw json.RawMessage) (value, error) {
	if known, ok := wellKnown[t.Name]; ok {
		return known(t, raw)
	}
	for _, method := range []string{"UnmarshalJSON", "UnmarshalText"} {
		if t.Methods[method] != nil {
			return decoded{t, raw}, nil
		}
	}
	u := model.Underlying(t)
	null := string(raw) == "null"
	switch u.Kind {
	case types.Pointer, types.Slice, types.Map, types.Interface:
		if null {
			return literal("nil"), nil
		}
	}
	switch u.Kind {
	case types.Builtin:
		return basicLiteral(u, raw)
	case types.Pointer:
		to, err := c.json(u.Elem, raw)
		if err != nil {
			return nil, err
		}
		return pointer{u.Elem, to}, nil
	case types.Slice, types.Array:
		return c.list(t, u, raw)
	case types.Map:
		return c.mapping(t, u, raw)
	case types.Struct:
		return c.structure(t, u, raw)
	}
	return nil, wrongf("a value of type %s cannot have a default; set it in a function SetDefaults_…", model.ShortName(t))
}

func (c typer) list(t, u *types.Type, raw json.RawMessage) (value, error) {
	if model.IsBytes(u) {
		var data []byte
		if json.Unmarshal(raw, &data) != nil {
			return nil, wrongf(`want bytes in base64, like "aGVsbG8="`)
		}
		if len(data) == 0 {
			return literal("nil"), nil
		}
		return conversion{t, literal(strconv.Quote(string(data)))}, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, wrongf("want a list, like %s", example(u))
	}
	if u.Kind == types.Array && int64(len(items)) > u.Len {
		return nil, wrongf("want at most %d items", u.Len)
	}
	out := composite{typ: t}
	for i, item := range items {
		v, err := c.json(u.Elem, item)
		if err != nil {
			return nil, inside(fmt.Sprintf("[%d]", i), err)
		}
		out.elements = append(out.elements, element{value: v})
	}
	return out, nil
}

func (c typer) mapping(t, u *types.Type, raw json.RawMessage) (value, error) {
	entries, err := object(raw)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(entries))
	for k := range entries {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := composite{typ: t}
	for _, k := range keys {
		key, err := mapKey(u.Key, k)
		if err != nil {
			return nil, err
		}
		v, err := c.json(u.Elem, entries[k])
		if err != nil {
			return nil, inside(fmt.Sprintf("[%q]", k), err)
		}
		out.elements = append(out.elements, element{key, v})
	}
	return out, nil
}

// mapKey types the key of an object. JSON writes numbers as strings there.
func mapKey(t *types.Type, key string) (value, error) {
	u := model.Underlying(t)
	if u.Kind != types.Builtin || t.Methods["UnmarshalText"] != nil {
		return nil, wrongf("a map with keys of type %s cannot have a default; set it in a function SetDefaults_…", model.ShortName(t))
	}
	if u == types.String {
		return literal(strconv.Quote(key)), nil
	}
	if _, isInt := integers[u.Name.Name]; !isInt {
		return nil, wrongf("a map with keys of type %s cannot have a default; set it in a function SetDefaults_…", model.ShortName(t))
	}
	v, err := basicLiteral(u, json.RawMessage(key))
	return v, inside(fmt.Sprintf("[%q]", key), err)
}

func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var out map[string]json.RawMessage
	if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &out) != nil {
		return nil, wrongf(`want an object, like {"key": "value"}`)
	}
	return out, nil
}

// integers are the bounds of the integer types. int and uint count as 64 bits: the compiler judges
// on others.
var integers = map[string][2]*big.Int{
	"int": bounds(63, true), "int8": bounds(7, true), "int16": bounds(15, true), "int32": bounds(31, true), "int64": bounds(63, true),
	"uint": bounds(64, false), "byte": bounds(8, false), "uint16": bounds(16, false), "uint32": bounds(32, false), "uint64": bounds(64, false),
	"uintptr": bounds(64, false),
}

func bounds(bits uint, signed bool) [2]*big.Int {
	limit := new(big.Int).Lsh(big.NewInt(1), bits)
	low := new(big.Int)
	if signed {
		low.Neg(limit)
	}
	return [2]*big.Int{low, limit.Sub(limit, big.NewInt(1))}
}

// basicLiteral types a JSON value as a builtin type.
func basicLiteral(u *types.Type, raw json.RawMessage) (value, error) {
	text := string(raw)
	switch name := u.Name.Name; name {
	case "string":
		var s string
		if json.Unmarshal(raw, &s) != nil || text == "null" {
			return nil, wrongf("want a string, like %s", example(u))
		}
		return literal(strconv.Quote(s)), nil
	case "bool":
		if text != "true" && text != "false" {
			return nil, wrongf("want true or false")
		}
		return literal(text), nil
	case "float32", "float64":
		bits := map[string]int{"float32": 32, "float64": 64}[name]
		f, err := strconv.ParseFloat(text, bits)
		if err != nil || !isNumber(raw) || math.IsInf(f, 0) {
			return nil, wrongf("want a %s, like %s", name, example(u))
		}
		if f == 0 {
			return literal("0"), nil
		}
		return literal(text), nil
	default:
		limits, ok := integers[name]
		if !ok {
			return nil, wrongf("a value of type %s cannot have a default", name)
		}
		n, ok := new(big.Rat).SetString(text)
		if !ok || !isNumber(raw) || !n.IsInt() {
			return nil, wrongf("want an integer, like %s", example(u))
		}
		if n.Num().Cmp(limits[0]) < 0 || n.Num().Cmp(limits[1]) > 0 {
			return nil, wrongf("does not fit in %s, want %s to %s", name, limits[0], limits[1])
		}
		return literal(n.Num().String()), nil
	}
}

func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// example is a default that would do for a type.
func example(t *types.Type) string {
	u := model.Underlying(t)
	switch u.Kind {
	case types.Builtin:
		switch u.Name.Name {
		case "string":
			return `"text"`
		case "bool":
			return "true"
		case "float32", "float64":
			return "0.5"
		}
		return "1"
	case types.Pointer:
		return example(u.Elem)
	case types.Slice, types.Array:
		return "[" + example(u.Elem) + "]"
	case types.Map:
		return `{"key": ` + example(u.Elem) + "}"
	}
	return "{}"
}
