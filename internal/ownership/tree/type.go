// Package tree works on objects as trees of JSON (package jsontree), as the schemas of their kinds
// say. Those tell what a field is: a list may be owned as a whole, by its items' keys, or by its
// values.
//
// A Type says which fields a tree has (Fields), what is wrong with it (Check) and what becomes of
// it when another one is merged into it (Merge). It also says which fields two trees differ in
// (Compare), and takes fields out of one (Remove). What all these mean is defined by
// structured-merge-diff, of which this package uses the sets of fields only; a random test compares
// the two. Nothing here modifies a tree, and what comes out shares memory with what went in.
//
// Start reading at Type. The package knows no managers and no versions: that is ownership's.
package tree

import (
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// Type is what a schema says of a value. It is immutable. A value may be of several kinds, if its
// schema says little.
type Type struct {
	kinds  kinds
	scalar schema.Scalar
	list   list
	object object
	// open says that nothing is known of an object.
	open bool
}

// kinds are the kinds of JSON that a value may be of.
type kinds uint8

const (
	isObject kinds = 1 << iota
	isScalar
	isList
)

// list is what is known of values that are lists.
type list struct {
	items  *Type
	atomic bool     // it is owned as a whole
	keys   []string // the members that name an item; none if the items are the values of a set
}

// object is what is known of values that are objects.
type object struct {
	fields map[string]field
	rest   *Type // of members that are no fields; nil: there must be none
	atomic bool  // it is owned as a whole
}

type field struct {
	*Type
	otherwise any // the default; nil: none
}

// member is the type of a member; nil if there must be no such. declared says that it is a field.
func (o *object) member(name string) (t *Type, declared bool) {
	if f, ok := o.fields[name]; ok {
		return f.Type, true
	}
	return o.rest, false
}

// absence is no value, which is something else than null.
type absence struct{}

var absent any = absence{}

func there(v any) bool { return v != absent }

// of are the kinds that v may be of: one, unless v is null or absent.
func (t *Type) of(v any) kinds {
	is := kinds(0)
	switch v.(type) {
	case map[string]any:
		is = isObject
	case []any:
		is = isList
	case nil, absence:
	default:
		is = isScalar
	}
	if t.kinds&is != 0 {
		return is
	}
	return t.kinds
}

// first is the kind of several that counts.
func (k kinds) first() kinds { return k & -k }

// Types makes the types of all definitions of a schema, by name.
func Types(s *schema.Schema) map[string]*Type {
	m := maker{schema: s, named: map[name]*Type{}}
	types := make(map[string]*Type, len(s.Types))
	for i := range s.Types {
		types[s.Types[i].Name] = m.of(schema.TypeRef{NamedType: &s.Types[i].Name})
	}
	return types
}

// name is that of a definition, with what a reference says of it.
type name struct {
	of           string
	relationship schema.ElementRelationship
}

type maker struct {
	schema *schema.Schema
	named  map[name]*Type
}

// of makes the type that a reference is to; nil if there is none.
func (m *maker) of(ref schema.TypeRef) *Type {
	if ref.NamedType == nil {
		if ref.Inlined == (schema.Atom{}) {
			return nil
		}
		t := new(Type)
		m.fill(t, ref.Inlined)
		return t
	}
	at := name{of: *ref.NamedType}
	if ref.ElementRelationship != nil {
		at.relationship = *ref.ElementRelationship
	}
	if t, ok := m.named[at]; ok {
		return t
	}
	atom, ok := m.schema.Resolve(ref)
	if !ok {
		return nil
	}
	t := new(Type)
	m.named[at] = t // before what is in it, which may be of the same type
	m.fill(t, atom)
	return t
}

func (m *maker) fill(t *Type, atom schema.Atom) {
	if atom.Scalar != nil {
		t.kinds |= isScalar
		t.scalar = *atom.Scalar
	}
	if l := atom.List; l != nil {
		t.kinds |= isList
		t.list = list{m.of(l.ElementType), l.ElementRelationship == schema.Atomic, l.Keys}
	}
	if o := atom.Map; o != nil {
		t.kinds |= isObject
		t.object = object{make(map[string]field, len(o.Fields)), m.of(o.ElementType), o.ElementRelationship == schema.Atomic}
		for _, f := range o.Fields {
			t.object.fields[f.Name] = field{m.of(f.Type), f.Default}
		}
		t.open = o.Fields == nil && untyped(o.ElementType)
	}
}

// untyped says whether a reference is to what schemas without types are of.
func untyped(ref schema.TypeRef) bool {
	if ref.NamedType != nil {
		return *ref.NamedType == "__untyped_deduced_"
	}
	return ref.Inlined.Scalar != nil && *ref.Inlined.Scalar == schema.Untyped
}
