package json

import gotypes "go/types"

// implements tells whether values of t have a method without parameters, or with one of
// type []byte, that encoding/json would call: methods of embedded fields count too.
func implements(t gotypes.Type, method string) bool {
	obj, _, _ := gotypes.LookupFieldOrMethod(t, false, nil, method)
	fn, ok := obj.(*gotypes.Func)
	if !ok {
		return false
	}
	s := fn.Type().(*gotypes.Signature)
	switch method {
	case "MarshalJSON", "MarshalText":
		return s.Params().Len() == 0 && results(s, isBytes, isError)
	case "UnmarshalJSON", "UnmarshalText":
		return s.Params().Len() == 1 && !s.Variadic() && isBytes(s.Params().At(0).Type()) && results(s, isError)
	default: // IsZero
		return s.Params().Len() == 0 && results(s, isBool)
	}
}

func results(s *gotypes.Signature, want ...func(gotypes.Type) bool) bool {
	if s.Results().Len() != len(want) {
		return false
	}
	for i, is := range want {
		if !is(s.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

func isBytes(t gotypes.Type) bool {
	return gotypes.Identical(t, gotypes.NewSlice(gotypes.Typ[gotypes.Byte]))
}

func isError(t gotypes.Type) bool {
	return gotypes.Identical(t, gotypes.Universe.Lookup("error").Type())
}

func isBool(t gotypes.Type) bool { return gotypes.Identical(t, gotypes.Typ[gotypes.Bool]) }

// addressed is implements for a value whose address can be taken.
func addressed(t gotypes.Type, method string) bool {
	if gotypes.IsInterface(t) {
		return implements(t, method)
	}
	if _, pointer := t.Underlying().(*gotypes.Pointer); pointer {
		return implements(t, method)
	}
	return implements(gotypes.NewPointer(t), method)
}

// hasName tells whether reflect has a name for a type.
func hasName(t gotypes.Type) bool {
	switch gotypes.Unalias(t).(type) {
	case *gotypes.Named, *gotypes.Basic:
		return true
	}
	return false
}

// wantsAddress tells whether a value that can't be addressed, like one in a map, is written in
// another way than one that can. So it is if something in it writes itself by a method on pointers.
func wantsAddress(t gotypes.Type) bool {
	for _, method := range []string{"MarshalJSON", "MarshalText"} {
		if addressed(t, method) {
			return !implements(t, method)
		}
	}
	switch u := t.Underlying().(type) {
	case *gotypes.Array:
		return wantsAddress(u.Elem())
	case *gotypes.Struct:
		for i := range u.NumFields() {
			if wantsAddress(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}
