package load

import (
	"fmt"
	gotypes "go/types"
	"strings"

	"k8s.io/gengo/v2/types"
)

// typeName is the key of a type in the model. Aliases are seen through, so that identical types
// have one name.
func typeName(in gotypes.Type) types.Name {
	switch t := gotypes.Unalias(in).(type) {
	case *gotypes.Named:
		name := types.Name{Name: t.Obj().Name() + typeArguments(t)}
		if t.Obj().Pkg() != nil {
			name.Package = t.Obj().Pkg().Path()
		}
		return name
	case *gotypes.Pointer:
		return types.Name{Name: "*" + typeName(t.Elem()).String()}
	case *gotypes.Slice:
		return types.Name{Name: "[]" + typeName(t.Elem()).String()}
	case *gotypes.Array:
		return types.Name{Name: fmt.Sprintf("[%d]%s", t.Len(), typeName(t.Elem()))}
	case *gotypes.Map:
		return types.Name{Name: fmt.Sprintf("map[%s]%s", typeName(t.Key()), typeName(t.Elem()))}
	case *gotypes.Interface:
		if t.Empty() {
			return types.Name{Name: "interface{}"}
		}
		return types.Name{Name: t.String()}
	default:
		return types.Name{Name: t.String()}
	}
}

func typeArguments(t *gotypes.Named) string {
	var names []string
	if args := t.TypeArgs(); args.Len() > 0 {
		for i := range args.Len() {
			names = append(names, typeName(args.At(i)).String())
		}
	} else {
		for i := range t.TypeParams().Len() {
			names = append(names, t.TypeParams().At(i).Obj().Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "[" + strings.Join(names, ",") + "]"
}

// parametrized tells whether a type without a name mentions type parameters; such types differ
// although their names are equal, so they are not kept in the model.
func parametrized(in gotypes.Type) bool {
	switch t := gotypes.Unalias(in).(type) {
	case *gotypes.TypeParam:
		return true
	case *gotypes.Pointer:
		return parametrized(t.Elem())
	case *gotypes.Slice:
		return parametrized(t.Elem())
	case *gotypes.Array:
		return parametrized(t.Elem())
	case *gotypes.Chan:
		return parametrized(t.Elem())
	case *gotypes.Map:
		return parametrized(t.Key()) || parametrized(t.Elem())
	case *gotypes.Named:
		for i := range t.TypeArgs().Len() {
			if parametrized(t.TypeArgs().At(i)) {
				return true
			}
		}
		return t.TypeArgs().Len() == 0 && t.TypeParams().Len() > 0
	case *gotypes.Struct:
		for f := range t.Fields() {
			if parametrized(f.Type()) {
				return true
			}
		}
	case *gotypes.Signature:
		for _, tuple := range []*gotypes.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if parametrized(v.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// unnamed tells whether a type mentions a struct without a name. Two of them may look the same and
// have other markers on their fields, so they are not kept in the model, which knows types by their
// names.
func unnamed(in gotypes.Type) bool {
	switch t := gotypes.Unalias(in).(type) {
	case *gotypes.Struct:
		return t.NumFields() > 0
	case *gotypes.Pointer:
		return unnamed(t.Elem())
	case *gotypes.Slice:
		return unnamed(t.Elem())
	case *gotypes.Array:
		return unnamed(t.Elem())
	case *gotypes.Map:
		return unnamed(t.Elem())
	}
	return false
}
