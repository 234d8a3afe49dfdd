package defaulter

import (
	"encoding/json"
	"go/token"
	"sort"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// structure types an object as a struct: by the names that JSON knows the fields by.
func (c typer) structure(t, u *types.Type, raw json.RawMessage) (value, error) {
	entries, err := object(raw)
	if err != nil {
		return nil, err
	}
	out, err := c.fields(t, u, entries)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		var names []string
		for name := range entries {
			names = append(names, name)
		}
		sort.Strings(names)
		if near := tag.Nearest(names[0], model.JSONNames(u)); near != "" {
			return nil, wrongf("%s has no field %q, did you mean %q?", model.ShortName(t), names[0], near)
		}
		return nil, wrongf("%s has no field %q", model.ShortName(t), names[0])
	}
	return out, nil
}

// fields types those entries that are fields of the struct and takes them out.
func (c typer) fields(t, u *types.Type, entries map[string]json.RawMessage) (composite, error) {
	out := composite{typ: t}
	add := func(m types.Member, v value) {
		out.elements = append(out.elements, element{literal(m.Name), v})
	}
	for _, m := range u.Members {
		name, inline := jsonName(m)
		if inline {
			inner := m.Type
			if inner.Kind == types.Pointer {
				inner = inner.Elem
			}
			before := len(entries)
			v, err := c.fields(inner, inner, entries)
			if err != nil {
				return out, err
			}
			if len(entries) < before && m.Type.Kind == types.Pointer {
				add(m, pointer{inner, v})
			} else if len(entries) < before {
				add(m, v)
			}
			continue
		}
		key, ok := lookup(entries, name)
		if !ok || name == "" {
			continue
		}
		v, err := c.json(m.Type, entries[key])
		if err != nil {
			return out, inside(name, err)
		}
		delete(entries, key)
		add(m, v)
	}
	return out, nil
}

// lookup finds a name the way encoding/json does: exactly, else in another case.
func lookup(entries map[string]json.RawMessage, name string) (string, bool) {
	if _, ok := entries[name]; ok {
		return name, true
	}
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		if strings.EqualFold(key, name) {
			return key, true
		}
	}
	return "", false
}

// jsonName returns the name of a field in JSON, "" if it has none. inline is true for an embedded
// struct whose fields count as fields of the struct around it.
func jsonName(m types.Member) (name string, inline bool) {
	if !token.IsExported(m.Name) && !m.Embedded {
		return "", false
	}
	return model.JSONName(m), model.Inlined(m) != nil
}

// unset returns the tests that hold for a t that nobody has set.
func (c typer) unset(t *types.Type, path string) ([]test, error) {
	u := model.Underlying(t)
	switch u.Kind {
	case types.Builtin:
		switch u.Name.Name {
		case "string":
			return []test{{path, literal(`""`)}}, nil
		case "bool":
			return []test{{path, literal("false")}}, nil
		}
		return []test{{path, literal("0")}}, nil
	case types.Pointer, types.Slice, types.Map, types.Interface, types.Func, types.Chan:
		return []test{{path, literal("nil")}}, nil
	}
	if isComparable(u) {
		return []test{{path, composite{typ: t}}}, nil
	}
	if u.Kind != types.Struct {
		return nil, wrongf("nothing tells whether a %s is set; make the field a pointer", model.ShortName(t))
	}
	var out []test
	for _, m := range u.Members {
		if !token.IsExported(m.Name) && t.Name.Package != c.out {
			return nil, wrongf("nothing tells whether a %s is set; make the field a pointer", model.ShortName(t))
		}
		if m.Name == "_" {
			continue
		}
		tests, err := c.unset(m.Type, path+"."+m.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, tests...)
	}
	return out, nil
}

// isComparable tells whether values of a type may be compared with ==.
func isComparable(t *types.Type) bool {
	u := model.Underlying(t)
	switch u.Kind {
	case types.Slice, types.Map, types.Func:
		return false
	case types.Array:
		return isComparable(u.Elem)
	case types.Struct:
		for _, m := range u.Members {
			if !isComparable(m.Type) {
				return false
			}
		}
	}
	return true
}
