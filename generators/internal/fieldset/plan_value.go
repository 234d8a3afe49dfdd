package fieldset

import (
	gotypes "go/types"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/typeplane/typeplane/generators/internal/json"
)

// how values are compared.
type how int

const (
	asLeaf     how = iota // owned as a whole
	asUntyped             // what the value is decides
	byFields              // a struct
	byKeys                // a map
	byValues              // a list that is a set
	byItems               // a list that is a map
	asPointed             // a pointer
	asMetadata            // the metadata of a kind
)

// node says how values of a type are compared.
type node struct {
	typ      gotypes.Type
	how      how
	elem     *node
	function *function // for byFields
	keys     []key     // for byItems
}

// node decides by the schema what is owned by itself, and by the Go type how to get at it.
func (pl *planner) node(t gotypes.Type, ref smd.TypeRef, at string) *node {
	t = gotypes.Unalias(t)
	atom := pl.schemas.atom(ref)
	n := &node{typ: t}
	if p, ok := t.(*gotypes.Pointer); ok {
		if n.elem = pl.node(p.Elem(), ref, at); n.elem.how != asLeaf {
			n.how = asPointed
		}
		return n
	}
	if whole(atom) || scalar(t) {
		return n
	}
	if writesItself(t) {
		// A struct with a MarshalJSON may still be said to look like its fields (package openapi).
		// An object that is neither described by fields nor by Go is what it is.
		if _, isStruct := t.Underlying().(*gotypes.Struct); !isStruct || atom.Map == nil || len(atom.Map.Fields) == 0 {
			n.how = asUntyped
			return n
		}
	}
	switch u := t.Underlying().(type) {
	case *gotypes.Interface:
		n.how = asUntyped
	case *gotypes.Struct:
		pl.fields(n, atom, at)
	case *gotypes.Map:
		if atom.Map != nil && atom.Map.ElementRelationship != smd.Atomic {
			n.how, n.elem = byKeys, pl.node(u.Elem(), atom.Map.ElementType, at)
		}
	case *gotypes.Slice:
		if atom.List != nil && atom.List.ElementRelationship != smd.Atomic {
			pl.list(n, u.Elem(), atom.List, at)
		}
	}
	return n
}

func (pl *planner) fields(n *node, atom smd.Atom, at string) {
	if atom.Map == nil || atom.Map.ElementRelationship == smd.Atomic {
		return
	}
	if named, ok := n.typ.(*gotypes.Named); ok && !named.Obj().Exported() && named.Obj().Pkg() != pl.server.Go {
		pl.problem(at, "export the type", "its type %s is unexported, so that the server can't tell its fields apart", named.Obj().Name())
		return
	}
	n.how, n.function = byFields, pl.function(n.typ, atom, at)
}

// scalar says whether values of a Go type are a string, a number, a bool or null in JSON.
func scalar(t gotypes.Type) bool {
	if named, ok := t.(*gotypes.Named); ok && named.Obj().Pkg() != nil {
		switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
		case "k8s.io/apimachinery/pkg/apis/meta/v1.Time", "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime",
			"k8s.io/apimachinery/pkg/apis/meta/v1.Duration", "k8s.io/apimachinery/pkg/api/resource.Quantity",
			"k8s.io/apimachinery/pkg/util/intstr.IntOrString", "time.Time":
			return true
		}
	}
	_, basic := t.Underlying().(*gotypes.Basic)
	return basic && !writesItself(t) || isBytes(t)
}

func writesItself(t gotypes.Type) bool { return json.WritesItself(t) }

// isBytes says whether a type is a slice of bytes, which JSON shows as a string.
func isBytes(t gotypes.Type) bool {
	s, ok := t.Underlying().(*gotypes.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*gotypes.Basic)
	return ok && b.Kind() == gotypes.Uint8
}

// comparable says whether Go's == says whether two values are the same in JSON.
func comparable(t gotypes.Type) bool {
	_, basic := t.Underlying().(*gotypes.Basic)
	return basic && !writesItself(t)
}
