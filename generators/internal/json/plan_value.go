package json

import (
	gotypes "go/types"
	"slices"
)

// how a value is written or read.
type how int

const (
	byFields  how = iota // a struct, in the function for it
	byJSON               // MarshalJSON, UnmarshalJSON
	byText               // MarshalText, UnmarshalText
	byCall               // a function of another package, or of this file
	asText               // a string
	asBool               //
	asInt                // signed or not
	asFloat              //
	asNumber             // json.Number
	asRaw                // json.RawMessage
	asBytes              // base64
	asSlice              //
	asArray              //
	asMap                //
	asPointer            //
	asAny                // an empty interface
	asDynamic            // another interface, or a value in a map that has methods on its pointer only
	nowise               // reading it is an error
)

// keys are how the keys of a map are written or read.
type keys int

const (
	stringKeys keys = iota
	intKeys
	textKeys
	noKeys
)

// node says how values of a type are written and read.
type node struct {
	typ gotypes.Type
	// text is the type as reflect prints it.
	text        string
	write, read how
	elem        *node
	// writeKeys and readKeys are for maps, keyText is the type of the keys.
	writeKeys, readKeys keys
	keyText             string
	// function is the one of this file, path the package of one that is elsewhere, for byCall.
	function *function
	path     string
	// nullable says that null makes the value nil where reading goes by a method that does not get
	// the null.
	nullable bool
}

// fill plans what the functions for a type do.
func (pl *planner) fill(f *function, at place) {
	f.body = pl.shape(f.typ, at)
	s, isStruct := f.typ.Underlying().(*gotypes.Struct)
	if !isStruct || f.body.write != byFields && f.body.read != byFields {
		return
	}
	f.fields = structFields(f.typ)
	for _, field := range f.fields {
		field.at = pl.inside(at, field)
		field.node = pl.node(field.variable().Type(), field.at)
		pl.checkReach(field, s)
	}
}

// inside is the place of a field. One of another module is at the field that led there.
func (pl *planner) inside(at place, f *field) place {
	v := f.variable()
	out := place{at.path + "." + v.Name(), at.pos}
	if v.Pkg() == nil {
		return out
	}
	if pkg := pl.pass.Model.Package(v.Pkg().Path()); pkg != nil && pkg.Main {
		out.pos = pl.pass.Model.ObjectPos(v)
	}
	return out
}

// checkReach reports a field that Go does not let the printed code reach.
func (pl *planner) checkReach(f *field, s *gotypes.Struct) {
	for i, v := range f.path[:len(f.path)-1] {
		if v.Exported() || v.Pkg().Path() == pl.current.Path {
			continue
		}
		_, pointer := gotypes.Unalias(v.Type()).(*gotypes.Pointer)
		obj, _, _ := gotypes.LookupFieldOrMethod(f.receiver(i, s), true, pl.current.Go, f.variable().Name())
		if pointer || obj != f.variable() {
			pl.problem(f.at, "write MarshalJSON and UnmarshalJSON for the type around it",
				"the field is inside of %s, which package %s cannot reach", v.Name(), pl.current.Path)
		}
	}
}

// receiver is the type whose field the i-th step of the path is.
func (f *field) receiver(i int, s *gotypes.Struct) gotypes.Type {
	if i == 0 {
		return s
	}
	return f.path[i-1].Type()
}

// node decides how values of a type are written and read inside of others: types that have
// functions get a call.
func (pl *planner) node(t gotypes.Type, at place) *node {
	t = gotypes.Unalias(t)
	named, isNamed := t.(*gotypes.Named)
	if isNamed && inMachinery(named) {
		return &node{typ: t, text: reflectText(t), write: byCall, read: byCall, path: machineryPath}
	}
	n := pl.byMethod(t)
	if n.write != byFields && n.read != byFields {
		return n // methods for both
	}
	if isNamed {
		if path := pl.elsewhere(named); path != "" {
			return &node{typ: t, text: n.text, write: byCall, read: byCall, path: path}
		}
	}
	if !pl.needsFunction(t) {
		return pl.shape(t, at)
	}
	f := pl.function(t, at)
	if n.write == byFields {
		n.write, f.writes = byCall, true
	}
	if n.read == byFields {
		n.read, f.reads = byCall, true
	}
	n.function = f
	return n
}

// needsFunction tells whether values of a type are written and read by a function of their own.
// Structs are, and named types that hold more than plain values, because they can contain
// themselves.
func (pl *planner) needsFunction(t gotypes.Type) bool {
	var elem gotypes.Type
	switch u := t.Underlying().(type) {
	case *gotypes.Struct:
		return true
	case *gotypes.Map:
		elem = u.Elem()
	case *gotypes.Slice:
		elem = u.Elem()
	case *gotypes.Array:
		elem = u.Elem()
	case *gotypes.Pointer:
		elem = u.Elem()
	default:
		return false
	}
	_, named := t.(*gotypes.Named)
	_, plain := elem.Underlying().(*gotypes.Basic)
	return named && !plain
}

// function returns the functions for a type in this file, which may not have been asked for before.
func (pl *planner) function(t gotypes.Type, at place) *function {
	i := slices.IndexFunc(pl.functions, func(f *function) bool { return gotypes.Identical(f.typ, t) })
	if i >= 0 {
		return pl.functions[i]
	}
	f := &function{typ: t, path: at.path, body: &node{typ: t, text: reflectText(t), write: asDynamic, read: nowise}}
	pl.functions = append(pl.functions, f)
	if named, ok := t.(*gotypes.Named); ok && !named.Obj().Exported() && named.Obj().Pkg().Path() != pl.current.Path {
		pl.problem(at, "write MarshalJSON and UnmarshalJSON for the type around it",
			"the type %s is unexported, so that package %s cannot name it", reflectText(t), pl.current.Path)
		return f
	}
	pl.fill(f, at)
	return f
}

// byMethod returns a node that says which hand-written methods are called; byFields is none.
func (pl *planner) byMethod(t gotypes.Type) *node {
	n := &node{typ: t, text: reflectText(t)}
	switch t.Underlying().(type) {
	case *gotypes.Pointer:
		return n
	case *gotypes.Map, *gotypes.Slice:
		n.nullable = true
	case *gotypes.Interface:
		if implements(t, "MarshalJSON") || implements(t, "MarshalText") {
			n.write = asDynamic
		}
		return n
	}
	switch n.text {
	case "json.Number", "json.RawMessage":
		if path := t.(*gotypes.Named).Obj().Pkg().Path(); path == "encoding/json" {
			n.write, n.read = asNumber, asNumber
			if n.text == "json.RawMessage" {
				n.write, n.read = asRaw, asRaw
			}
			return n
		}
	}
	switch {
	case addressed(t, "MarshalJSON"):
		n.write = byJSON
	case addressed(t, "MarshalText"):
		n.write = byText
	}
	switch {
	case !hasName(t):
	case addressed(t, "UnmarshalJSON"):
		n.read = byJSON
	case addressed(t, "UnmarshalText"):
		n.read = byText
	}
	return n
}

// shape decides by methods and by what a type is made of.
func (pl *planner) shape(t gotypes.Type, at place) *node {
	n := pl.byMethod(t)
	if n.write != byFields && n.read != byFields {
		return n
	}
	made := pl.made(t, at)
	made.nullable = n.nullable
	if n.write != byFields {
		made.write = n.write
	}
	if n.read != byFields {
		made.read = n.read
	}
	return made
}

// made decides by what a type is made of.
func (pl *planner) made(t gotypes.Type, at place) *node {
	n := &node{typ: t, text: reflectText(t)}
	both := func(h how) { n.write, n.read = h, h }
	switch u := t.Underlying().(type) {
	case *gotypes.Basic:
		switch info := u.Info(); {
		case info&gotypes.IsString != 0:
			both(asText)
		case info&gotypes.IsBoolean != 0:
			both(asBool)
		case info&gotypes.IsInteger != 0:
			both(asInt)
		case info&gotypes.IsFloat != 0:
			both(asFloat)
		default:
			pl.unsupported(t, at)
		}
	case *gotypes.Pointer:
		both(asPointer)
		n.elem = pl.node(u.Elem(), at)
	case *gotypes.Slice:
		both(asSlice)
		n.elem = pl.node(u.Elem(), at)
		if b, ok := u.Elem().Underlying().(*gotypes.Basic); ok && b.Kind() == gotypes.Uint8 {
			n.read = asBytes
			if n.elem.write == asInt {
				n.write = asBytes
			}
		}
	case *gotypes.Array:
		both(asArray)
		n.elem = pl.node(u.Elem(), at)
	case *gotypes.Map:
		both(asMap)
		pl.mapShape(n, u, at)
	case *gotypes.Struct:
		both(byFields)
	case *gotypes.Interface:
		both(asDynamic)
		if u.NumMethods() == 0 {
			both(asAny)
		}
	default:
		pl.unsupported(t, at)
	}
	return n
}
