package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exported lists what a package exports, a line for each name, field and method: names in order,
// and behind a type what it has. What an alias of a type below internal/ has is listed as the
// alias's own, for users know it by no other name.
func exported(p *types.Package) []string {
	l := &apiList{pkg: p, doors: doors(p)}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			l.object(o)
		}
	}
	return l.lines
}

// doors are the names below internal/ that the package gives another name to, with that name.
func doors(p *types.Package) map[string]string {
	names := map[string]string{}
	for _, name := range p.Scope().Names() {
		if o, ok := p.Scope().Lookup(name).(*types.TypeName); ok && o.IsAlias() && inside(o) != nil {
			names[qualified(inside(o).Obj())] = name
		}
	}
	return names
}

// inside is the type below internal/ that an alias stands for, nil for another.
func inside(alias *types.TypeName) *types.Named {
	named, _ := types.Unalias(alias.Type()).(*types.Named)
	if named == nil || !hidden(named.Obj().Pkg()) {
		return nil
	}
	return named
}

// hidden says whether users can't import a package of ours.
func hidden(p *types.Package) bool {
	return p != nil && strings.HasPrefix(p.Path(), module) && strings.Contains(p.Path()+"/", "/internal/")
}

func qualified(o types.Object) string { return o.Pkg().Path() + "." + o.Name() }

// apiList is the list of one package as it is made.
type apiList struct {
	pkg   *types.Package
	doors map[string]string
	lines []string
}

func (l *apiList) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// text prints a type as the package's users write it.
func (l *apiList) text(t types.Type) string {
	s := types.TypeString(withoutNames(t), func(p *types.Package) string {
		if p == l.pkg {
			return ""
		}
		return p.Path()
	})
	return word.ReplaceAllStringFunc(s, func(name string) string {
		if door, ok := l.doors[name]; ok {
			return door
		}
		return strings.TrimPrefix(strings.TrimPrefix(name, path.Dir(module)+"/"), path.Base(module)+"/")
	})
}

var word = regexp.MustCompile(`[\w./-]+`)

func (l *apiList) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		l.add("const %s %s = %s", o.Name(), l.text(o.Type()), o.Val().ExactString())
	case *types.Var:
		l.add("var %s %s", o.Name(), l.text(o.Type()))
	case *types.Func:
		l.add("func %s%s", o.Name(), l.signature(o))
	case *types.TypeName:
		l.typeName(o)
	}
}

func (l *apiList) typeName(o *types.TypeName) {
	if o.IsAlias() && inside(o) == nil {
		l.add("type %s = %s", o.Name(), l.text(types.Unalias(o.Type())))
		return
	}
	named := types.Unalias(o.Type()).(*types.Named)
	name := o.Name()
	if parameters := named.TypeParams(); parameters.Len() > 0 {
		name, _, _ = strings.Cut(l.text(named), "]")
		name += "]"
	}
	switch under := named.Underlying().(type) {
	case *types.Struct:
		l.add("type %s struct", name)
		l.fields(o.Name(), under)
	case *types.Interface:
		l.add("type %s interface", name)
		l.embedded(o.Name(), under)
	default:
		l.add("type %s %s", name, l.text(under))
	}
	l.methods(o.Name(), named)
}

func (l *apiList) fields(name string, s *types.Struct) {
	first := len(l.lines)
	for field := range s.Fields() {
		switch {
		case !field.Exported():
		case field.Embedded():
			l.add("field %s.%s %s, embedded", name, field.Name(), l.text(field.Type()))
		default:
			l.add("field %s.%s %s", name, field.Name(), l.text(field.Type()))
		}
	}
	slices.Sort(l.lines[first:])
}

// embedded lists what is said of an interface beside its methods. One with a method that is not
// exported can't be implemented elsewhere.
func (l *apiList) embedded(name string, i *types.Interface) {
	for method := range i.Methods() {
		if !method.Exported() {
			l.add("method %s.%s, sealed", name, method.Name())
		}
	}
	for t := range i.EmbeddedTypes() {
		if u, ok := t.(*types.Union); ok {
			l.add("union %s %s", name, l.text(u))
		}
	}
}

// methods lists those of a type and of pointers to it; those of exported fields that are embedded
// are listed with their types.
func (l *apiList) methods(name string, named *types.Named) {
	receiver := types.Type(named)
	if !types.IsInterface(named) {
		receiver = types.NewPointer(named)
	}
	for s := range types.NewMethodSet(receiver).Methods() {
		if !s.Obj().Exported() || promoted(named, s.Index()) {
			continue
		}
		of := name
		if f := s.Obj().(*types.Func); pointer(f) {
			of = "(*" + name + ")"
		}
		l.add("method %s.%s%s", of, s.Obj().Name(), l.signature(s.Obj().(*types.Func)))
	}
}

func promoted(named *types.Named, index []int) bool {
	s, ok := named.Underlying().(*types.Struct)
	return ok && len(index) > 1 && s.Field(index[0]).Exported()
}

func pointer(f *types.Func) bool {
	_, ok := f.Signature().Recv().Type().(*types.Pointer)
	return ok
}

func (l *apiList) signature(f *types.Func) string {
	return strings.TrimPrefix(l.text(f.Signature()), "func")
}

// withoutNames returns a type in which no parameter of a function has a name: to change one breaks
// nobody.
func withoutNames(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Pointer:
		return types.NewPointer(withoutNames(t.Elem()))
	case *types.Slice:
		return types.NewSlice(withoutNames(t.Elem()))
	case *types.Map:
		return types.NewMap(t.Key(), withoutNames(t.Elem()))
	case *types.Signature:
		var parameters []*types.TypeParam
		for p := range t.TypeParams().TypeParams() {
			parameters = append(parameters, types.NewTypeParam(p.Obj(), p.Constraint()))
		}
		return types.NewSignatureType(nil, nil, parameters, tuple(t.Params()), tuple(t.Results()), t.Variadic())
	}
	return t
}

func tuple(t *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range t.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", withoutNames(v.Type())))
	}
	return types.NewTuple(vars...)
}

// TestExported prints a package with one of everything that an API has.
func TestExported(t *testing.T) {
	const source = `package p

const Size int = 1 << 2

var Default = &Box[string]{}

type Box[T any] struct {
	base
	Base
	Fill func(name string, rest ...[]T) (err error)
	inner int
}

func (b *Box[T]) Open(key int) T { panic(key) }

type base struct{}

func (base) Weight() int { return 0 }

type Base struct{}

func (Base) Hidden() {}

type Lid interface {
	Close(hard bool)
	seal()
}

type Number interface{ ~int | ~string }

type Key = int

func Map[K Number, V any](in map[K]V) []V { return nil }

func unseen() {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"type Base struct",
		"method Base.Hidden()",
		"type Box[T any] struct",
		"field Box.Base Base, embedded",
		"field Box.Fill func(string, ...[]T) error",
		"method (*Box).Open(int) T",
		"method Box.Weight() int",
		"var Default *Box[string]",
		"type Key = int",
		"type Lid interface",
		"method Lid.seal, sealed",
		"method Lid.Close(bool)",
		"func Map[K Number, V any](map[K]V) []V",
		"type Number interface",
		"union Number ~int | ~string",
		"const Size int = 4",
	}
	if diff := cmp.Diff(want, exported(p)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}
