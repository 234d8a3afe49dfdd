package load

import (
	"go/constant"
	"go/token"
	gotypes "go/types"
	"path/filepath"

	"k8s.io/gengo/v2/types"
)

// newUniverse starts a model. gengo's own table takes int8 for byte; here it is a type of its own.
func newUniverse() types.Universe {
	u := types.Universe{}
	u.Package("").Types["int8"] = &types.Type{Name: types.Name{Name: "int8"}, Kind: types.Builtin}
	return u
}

// fill adds all declarations of a package to the model; of another module, those that are exported.
func (s *Set) fill(p *Package) {
	if p.filled || p.Go == nil {
		return
	}
	p.filled = true
	scope := p.Go.Scope()
	for _, name := range scope.Names() {
		if !p.Main && !token.IsExported(name) {
			continue
		}
		switch obj := scope.Lookup(name).(type) {
		case *gotypes.TypeName:
			s.declareType(p, obj)
		case *gotypes.Func:
			if !s.hidden(obj) {
				s.declare(p.Types.Function(obj.Name()), obj)
			}
		case *gotypes.Var:
			s.declare(p.Types.Variable(obj.Name()), obj)
		case *gotypes.Const:
			t := p.Types.Constant(obj.Name())
			s.declare(t, obj)
			t.ConstValue = constantText(obj.Val())
		}
	}
	for _, imported := range p.Go.Imports() {
		p.Types.Imports[imported.Path()] = s.Universe.Package(imported.Path())
	}
}

func (s *Set) declareType(p *Package, obj *gotypes.TypeName) {
	t := s.TypeOf(obj.Type())
	if !obj.IsAlias() {
		return
	}
	p.Aliases = append(p.Aliases, Alias{Name: obj.Name(), Target: t, Go: obj})
}

// declare describes a function, variable or constant.
func (s *Set) declare(t *types.Type, obj gotypes.Object) {
	t.Kind = types.DeclarationOf
	t.Underlying = s.TypeOf(obj.Type())
	t.GoType = obj.Type()
	s.objects[t] = obj
}

func constantText(v constant.Value) *string {
	text := v.String()
	if v.Kind() == constant.String {
		text = constant.StringVal(v)
	}
	return &text
}

// hidden tells whether a function or method stands in a generated file, which is as if it did not
// exist. What is printed must not depend on what was printed before. Such files of the main module
// are not read at all.
func (s *Set) hidden(fn *gotypes.Func) bool {
	return fn.Pos().IsValid() && generatedName(filepath.Base(s.fset.Position(fn.Pos()).Filename))
}

// TypeOf returns the type of the model for a type of go/types, the same one for identical types. An
// alias becomes the type that it stands for.
func (s *Set) TypeOf(in gotypes.Type) *types.Type {
	in = gotypes.Unalias(in)
	if out := s.walked[in]; out != nil {
		return out
	}
	var out *types.Type
	switch t := in.(type) {
	case *gotypes.Basic:
		out = s.basic(t)
	case *gotypes.Named:
		out = s.named(t)
	case *gotypes.TypeParam:
		out = &types.Type{Name: types.Name{Name: t.Obj().Name()}, Kind: types.TypeParam, GoType: t}
	default:
		out = s.composite(in)
	}
	s.walked[in] = out
	return out
}

func (s *Set) basic(t *gotypes.Basic) *types.Type {
	name := t.Name()
	if name == "rune" {
		name = "int32"
	}
	out := s.Universe.Package("").Type(name)
	if out.Kind == types.Unknown {
		out.Kind = types.Unsupported
		out.GoType = t
	}
	return out
}

// named describes a declared type. A struct or interface has its own kind, and a declared basic
// type, map or slice is an Alias with an Underlying type. Declared pointers, arrays, functions and
// channels have the kind of those.
func (s *Set) named(t *gotypes.Named) *types.Type {
	out := s.Universe.Type(typeName(t))
	if out.Kind != types.Unknown {
		return out
	}
	out.GoType = t
	s.objects[out] = t.Obj()
	switch under := t.Underlying().(type) {
	case *gotypes.Basic, *gotypes.Map, *gotypes.Slice:
		out.Kind = types.Alias
		out.Underlying = s.TypeOf(under)
	default:
		s.describe(out, under)
	}
	for i := range t.TypeParams().Len() {
		if out.TypeParams == nil {
			out.TypeParams = map[string]*types.Type{}
		}
		param := t.TypeParams().At(i)
		out.TypeParams[param.Obj().Name()] = s.TypeOf(param.Constraint())
	}
	for i := range t.NumMethods() {
		if m := t.Method(i); !s.hidden(m) {
			s.addMethod(out, m)
		}
	}
	return out
}

// composite describes a type without a name of its own.
func (s *Set) composite(in gotypes.Type) *types.Type {
	name := typeName(in)
	if parametrized(in) || unnamed(in) {
		out := &types.Type{Name: name, GoType: in}
		s.describe(out, in)
		return out
	}
	out := s.Universe.Type(name)
	if out.Kind == types.Unknown {
		out.GoType = in
		s.describe(out, in)
	}
	return out
}

// describe fills in kind and parts.
func (s *Set) describe(out *types.Type, in gotypes.Type) {
	switch t := in.(type) {
	case *gotypes.Struct:
		out.Kind = types.Struct
		s.members[out] = t
		for i := range t.NumFields() {
			f := t.Field(i)
			if p := s.packages[pathOf(f)]; p != nil && isInvalid(f.Type()) {
				s.reportLost(p)
			}
			out.Members = append(out.Members, types.Member{
				Name: f.Name(), Embedded: f.Anonymous(), Tags: t.Tag(i), Type: s.TypeOf(f.Type()),
			})
		}
	case *gotypes.Map:
		out.Kind = types.Map
		out.Key, out.Elem = s.TypeOf(t.Key()), s.TypeOf(t.Elem())
	case *gotypes.Pointer:
		out.Kind = types.Pointer
		out.Elem = s.TypeOf(t.Elem())
	case *gotypes.Slice:
		out.Kind = types.Slice
		out.Elem = s.TypeOf(t.Elem())
	case *gotypes.Array:
		out.Kind = types.Array
		out.Elem, out.Len = s.TypeOf(t.Elem()), t.Len()
	case *gotypes.Chan:
		out.Kind = types.Chan
		out.Elem = s.TypeOf(t.Elem())
	case *gotypes.Signature:
		out.Kind = types.Func
		out.Signature = s.signature(t)
	case *gotypes.Interface:
		out.Kind = types.Interface
		for i := range t.NumMethods() {
			s.addMethod(out, t.Method(i))
		}
	default:
		out.Kind = types.Unsupported
	}
}

func pathOf(obj gotypes.Object) string {
	if obj.Pkg() == nil {
		return ""
	}
	return obj.Pkg().Path()
}

// isInvalid tells whether a type, or what it holds, is not known.
func isInvalid(in gotypes.Type) bool {
	switch t := gotypes.Unalias(in).(type) {
	case *gotypes.Pointer:
		return isInvalid(t.Elem())
	case *gotypes.Slice:
		return isInvalid(t.Elem())
	case *gotypes.Array:
		return isInvalid(t.Elem())
	case *gotypes.Map:
		return isInvalid(t.Key()) || isInvalid(t.Elem())
	default:
		return t == gotypes.Typ[gotypes.Invalid]
	}
}

func (s *Set) addMethod(out *types.Type, m *gotypes.Func) {
	if out.Methods == nil {
		out.Methods = map[string]*types.Type{}
	}
	method := &types.Type{Name: types.Name{Name: m.Name()}, Kind: types.Func, GoType: m.Type()}
	if m.Pkg() != nil {
		method.Name.Package = m.Pkg().Path()
	}
	out.Methods[m.Name()] = method
	method.Signature = s.signature(m.Type().(*gotypes.Signature))
	s.objects[method] = m
}

func (s *Set) signature(t *gotypes.Signature) *types.Signature {
	out := &types.Signature{Variadic: t.Variadic()}
	for v := range t.Params().Variables() {
		out.Parameters = append(out.Parameters, &types.ParamResult{Name: v.Name(), Type: s.TypeOf(v.Type())})
	}
	for v := range t.Results().Variables() {
		out.Results = append(out.Results, &types.ParamResult{Name: v.Name(), Type: s.TypeOf(v.Type())})
	}
	if r := t.Recv(); r != nil {
		out.Receiver = s.TypeOf(r.Type())
	}
	return out
}
