package clientgen

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameAPI fails where packages in two folders do not export the same. rename makes import paths of
// the second those of the first.
func sameAPI(t *testing.T, want, got string, patterns []string, rename func(string) string) {
	t.Helper()
	wanted, found := exported(t, want, patterns, func(s string) string { return s }), exported(t, got, patterns, rename)
	if len(wanted) == 0 {
		t.Fatalf("%s has no packages %v", want, patterns)
	}
	names := 0
	for path, api := range wanted {
		names += len(api)
		if diff := cmp.Diff(api, found[path]); diff != "" {
			t.Errorf("package %s (-code-generator +gen):\n%s", path, diff)
		}
	}
	for path := range found {
		if wanted[path] == nil {
			t.Errorf("package %s is new", path)
		}
	}
	t.Logf("%d packages export the same %d names", len(wanted), names)
}

// exported is what packages export, a line for each name, field and method.
func exported(t *testing.T, dir string, patterns []string, rename func(string) string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, pkg := range loadPackages(t, dir, patterns) {
		w := writer{rename: rename}
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				w.object(obj)
			}
		}
		slices.Sort(w.lines)
		out[rename(pkg.Path())] = append([]string{}, w.lines...)
	}
	return out
}

// writer writes what a package exports.
type writer struct {
	rename func(string) string
	lines  []string
}

func (w *writer) add(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *writer) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.TypeName:
		if obj.IsAlias() {
			w.add("type %s = %s", obj.Name(), w.typ(types.Unalias(obj.Type())))
			return
		}
		w.named(obj)
	case *types.Func:
		w.add("func %s%s", obj.Name(), w.signature(obj.Signature()))
	default:
		w.add("var %s %s", obj.Name(), w.typ(obj.Type()))
	}
}

// named writes a declared type: its fields, and the methods of a pointer to it.
func (w *writer) named(obj *types.TypeName) {
	under := obj.Type().Underlying()
	if s, ok := under.(*types.Struct); ok {
		w.add("type %s struct", obj.Name())
		for i := range s.NumFields() {
			if f := s.Field(i); f.Exported() {
				w.add("type %s struct: %s %s %q embedded=%t", obj.Name(), f.Name(), w.typ(f.Type()), s.Tag(i), f.Embedded())
			}
		}
	} else {
		w.add("type %s %s", obj.Name(), w.typ(under))
	}
	if types.IsInterface(obj.Type()) {
		return
	}
	methods := types.NewMethodSet(types.NewPointer(obj.Type()))
	for i := range methods.Len() {
		m := methods.At(i)
		if !m.Obj().Exported() {
			continue
		}
		receiver := "*"
		if types.NewMethodSet(obj.Type()).Lookup(nil, m.Obj().Name()) != nil {
			receiver = ""
		}
		w.add("method (%s%s) %s%s", receiver, obj.Name(), m.Obj().Name(), w.signature(m.Type().(*types.Signature)))
	}
}

// typ is a type without the names of parameters.
func (w *writer) typ(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := t.Obj().Name()
		if t.Obj().Pkg() != nil {
			name = w.rename(t.Obj().Pkg().Path()) + "." + name
		}
		var args []string
		for arg := range t.TypeArgs().Types() {
			args = append(args, w.typ(arg))
		}
		if len(args) > 0 {
			name += "[" + strings.Join(args, ", ") + "]"
		}
		return name
	case *types.Pointer:
		return "*" + w.typ(t.Elem())
	case *types.Slice:
		return "[]" + w.typ(t.Elem())
	case *types.Map:
		return "map[" + w.typ(t.Key()) + "]" + w.typ(t.Elem())
	case *types.Signature:
		return "func" + w.signature(t)
	case *types.Interface:
		var methods []string
		for m := range t.Methods() {
			methods = append(methods, m.Name()+w.signature(m.Signature()))
		}
		slices.Sort(methods)
		return "interface{" + strings.Join(methods, "; ") + "}"
	default:
		return types.TypeString(t, func(p *types.Package) string { return w.rename(p.Path()) })
	}
}

func (w *writer) signature(s *types.Signature) string {
	tuple := func(vars *types.Tuple) string {
		var out []string
		for v := range vars.Variables() {
			out = append(out, w.typ(v.Type()))
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	variadic := ""
	if s.Variadic() {
		variadic = "..."
	}
	return tuple(s.Params()) + variadic + " " + tuple(s.Results())
}
