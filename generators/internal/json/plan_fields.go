package json

import (
	"cmp"
	gotypes "go/types"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// field is a field of a struct as JSON has it: its own, or one of an embedded struct.
type field struct {
	name   string
	tagged bool
	// path are the embedded fields on the way, and the field itself; index their places, which give
	// the order.
	path  []*gotypes.Var
	index []int
	// inner is the path without the field, as encoding/json says it in errors: "TypeMeta".
	inner string

	omitEmpty, omitZero, quoted bool

	node *node
	at   place
}

func (f *field) variable() *gotypes.Var { return f.path[len(f.path)-1] }

// level is an embedded struct whose fields are looked for, or the struct itself.
type level struct {
	typ   gotypes.Type
	path  []*gotypes.Var
	index []int
}

// structFields returns the fields that a struct has in JSON, by the rules of encoding/json. If
// several have one name, it is the field that is embedded least deeply, and among those the tagged
// one. If there are still several, it is none.
func structFields(t gotypes.Type) []*field {
	var found []*field
	next := []level{{typ: t}}
	visited := map[gotypes.Type]bool{}
	for len(next) > 0 {
		current := next
		next = nil
		times := map[gotypes.Type]int{} // how often a type is embedded at this depth
		for _, l := range current {
			times[l.typ]++
		}
		for _, l := range current {
			if visited[l.typ] {
				continue
			}
			visited[l.typ] = true
			fields, embedded := ownFields(l)
			for _, f := range fields {
				found = append(found, f)
				if times[l.typ] > 1 {
					found = append(found, f) // there twice, so that it hides itself
				}
			}
			next = append(next, embedded...)
		}
	}
	return dominant(found)
}

// ownFields returns the fields of one struct, and the structs that it embeds.
func ownFields(l level) (fields []*field, embedded []level) {
	s := l.typ.Underlying().(*gotypes.Struct)
	for i := range s.NumFields() {
		v := s.Field(i)
		under := deref(v.Type())
		_, isStruct := under.Underlying().(*gotypes.Struct)
		if !v.Exported() && !(v.Embedded() && isStruct) {
			continue
		}
		said := model.JSONAt(s, i)
		if said.Left {
			continue
		}
		name := said.Name
		path := append(slices.Clone(l.path), v)
		index := append(slices.Clone(l.index), i)
		if name == "" && v.Embedded() && isStruct {
			embedded = append(embedded, level{under, path, index})
			continue
		}
		f := &field{name: name, tagged: name != "", path: path, index: index, inner: names(l.path)}
		if name == "" {
			f.name = v.Name()
		}
		f.omitEmpty, f.omitZero, f.quoted = said.OmitEmpty, said.OmitZero, said.Quoted && quotable(under)
		fields = append(fields, f)
	}
	return fields, embedded
}

func names(path []*gotypes.Var) string {
	var out []string
	for _, v := range path {
		out = append(out, v.Name())
	}
	return strings.Join(out, ".")
}

// deref sees through one pointer that has no name.
func deref(t gotypes.Type) gotypes.Type {
	if p, ok := gotypes.Unalias(t).(*gotypes.Pointer); ok {
		return gotypes.Unalias(p.Elem())
	}
	return gotypes.Unalias(t)
}

// quotable tells whether the option "string" has an effect.
func quotable(t gotypes.Type) bool {
	b, ok := t.Underlying().(*gotypes.Basic)
	return ok && b.Info()&(gotypes.IsBoolean|gotypes.IsInteger|gotypes.IsFloat|gotypes.IsString) != 0
}

// dominant drops fields that are hidden by others, and sorts the rest as they are declared.
func dominant(found []*field) []*field {
	byName := map[string][]*field{}
	for _, f := range found {
		byName[f.name] = append(byName[f.name], f)
	}
	var out []*field
	for _, same := range byName {
		slices.SortStableFunc(same, func(a, b *field) int {
			if c := cmp.Compare(len(a.index), len(b.index)); c != 0 || a.tagged == b.tagged {
				return c
			}
			if a.tagged {
				return -1
			}
			return 1
		})
		if len(same) == 1 || len(same[0].index) < len(same[1].index) || same[0].tagged != same[1].tagged {
			out = append(out, same[0])
		}
	}
	slices.SortFunc(out, func(a, b *field) int { return slices.Compare(a.index, b.index) })
	return out
}
