package openapi

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"

	"k8s.io/gengo/v2/types"
)

// The methods by which a type tells kube-openapi's generator what its JSON is.
const (
	hookType         = "OpenAPISchemaType"
	hookFormat       = "OpenAPISchemaFormat"
	hookOneOf        = "OpenAPIV3OneOfTypes"
	hookDefinition   = "OpenAPIDefinition"
	hookV3Definition = "OpenAPIV3Definition"
)

// hooked is the schema that a type's methods tell; nil if it has none of them. No code of the user
// runs: each method has to be one return statement, which is read.
func (m *models) hooked(t *types.Type) *schema {
	h := hooks{m: m, t: t}
	var s *schema
	switch {
	case t.Methods[hookV3Definition] != nil:
		s = h.definition(hookV3Definition)
	case t.Methods[hookDefinition] != nil && t.Methods[hookType] == nil:
		s = h.definition(hookDefinition)
	case t.Methods[hookOneOf] != nil:
		s = oneOf(h.strings(hookOneOf))
		s.Format = h.string(hookFormat)
	case t.Methods[hookType] != nil:
		s = oneOf(h.strings(hookType))
		s.Format = h.string(hookFormat)
	default:
		return nil
	}
	if h.err != nil && m.ours(t) {
		m.problem(m.from.FuncPos(t.Methods[h.method]), t.Name.Name, fmt.Sprintf("%s can't be read: %v", h.method, h.err),
			"let it return literals and nothing else, or take it away and say +"+tagType+"= above the type")
	}
	return s
}

// oneOf is a schema of these JSON types; of any value if there are none.
func oneOf(kinds []string) *schema {
	switch len(kinds) {
	case 0:
		return &schema{PreserveUnknown: true}
	case 1:
		return &schema{Type: kinds[0]}
	}
	s := &schema{}
	for _, kind := range kinds {
		s.OneOf = append(s.OneOf, &schema{Type: kind})
	}
	return s
}

// hooks reads the methods of one type, and keeps the first thing that was wrong.
type hooks struct {
	m      *models
	t      *types.Type
	method string
	err    error
}

// result is the expression that a method returns; nil if the type doesn't have it.
func (h *hooks) result(method string) ast.Expr {
	fn := h.t.Methods[method]
	if fn == nil || h.err != nil {
		return nil
	}
	h.method = method
	pkg := h.m.from.Package(h.t.Name.Package)
	if pkg == nil {
		h.err = errors.New("its package is not known")
		return nil
	}
	pos := h.m.from.FuncPos(fn)
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join(pkg.Dir, filepath.Base(pos.Filename)), nil, parser.SkipObjectResolution)
	if err != nil {
		h.err = err
		return nil
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Name.Name == method && set.Position(d.Name.Pos()).Line == pos.Line {
			return h.returned(d)
		}
	}
	h.err = errors.New("its source is not there")
	return nil
}

func (h *hooks) returned(d *ast.FuncDecl) ast.Expr {
	if d.Body != nil && len(d.Body.List) == 1 {
		if r, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			return r.Results[0]
		}
	}
	h.err = errors.New("it is more than one return statement")
	return nil
}

func (h *hooks) string(method string) string {
	e := h.result(method)
	if e == nil {
		return ""
	}
	return h.text(e)
}

func (h *hooks) strings(method string) []string {
	e := h.result(method)
	if e == nil {
		return nil
	}
	return h.texts(e)
}

// text is a string literal or a constant of the package.
func (h *hooks) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.Ident:
		if c := h.m.constant(types.Name{Package: h.t.Name.Package, Name: e.Name}); c != nil {
			return textOf(string(c))
		}
	}
	h.fail(e, "is no string")
	return ""
}

// texts is a list of strings, or nil.
func (h *hooks) texts(e ast.Expr) []string {
	if id, ok := e.(*ast.Ident); ok && id.Name == "nil" {
		return nil
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		h.fail(e, "is no list of strings")
		return nil
	}
	var out []string
	for _, item := range lit.Elts {
		out = append(out, h.text(item))
	}
	return out
}

func (h *hooks) fail(e ast.Expr, message string) {
	if h.err == nil {
		h.err = fmt.Errorf("the %s %s", shape(e), message)
	}
}

// shape is what messages call an expression.
func shape(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		return "call"
	case *ast.BasicLit:
		return "literal " + e.Value
	case *ast.Ident:
		return "name " + e.Name
	}
	return "expression"
}

// definition reads a common.OpenAPIDefinition.
func (h *hooks) definition(method string) *schema {
	s := &schema{}
	if e := h.result(method); e != nil {
		h.fill(s, e)
	}
	return s
}

// wrappers are fields of kube-openapi's structs that hold the fields that say something.
var wrappers = []string{"Schema", "SchemaProps", "VendorExtensible"}

// fill takes the fields of a struct literal of kube-openapi into a schema.
func (h *hooks) fill(s *schema, e ast.Expr) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		h.fail(e, "is no struct literal")
		return
	}
	for _, element := range lit.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		if !ok {
			h.fail(element, "has no field name")
			return
		}
		key, _ := kv.Key.(*ast.Ident)
		switch {
		case key == nil:
			h.fail(kv.Key, "is no field name")
		case slices.Contains(wrappers, key.Name):
			h.fill(s, kv.Value)
		default:
			h.set(s, key, kv.Value)
		}
	}
}

func (h *hooks) set(s *schema, key *ast.Ident, value ast.Expr) {
	switch key.Name {
	case "Type":
		if kinds := h.texts(value); len(kinds) == 1 {
			s.Type = kinds[0]
		} else {
			s.OneOf = oneOf(kinds).OneOf
		}
	case "Format":
		s.Format = h.text(value)
	case "Pattern":
		s.Pattern = h.text(value)
	case "Description":
		s.Description = h.text(value)
	case "Title":
		s.Title = h.text(value)
	case "OneOf":
		s.OneOf = h.schemas(value)
	case "AnyOf":
		s.AnyOf = h.schemas(value)
	default:
		h.fail(key, "is a field that is not read; Type, Format, Pattern, Title, Description, OneOf and AnyOf are")
	}
}

func (h *hooks) schemas(e ast.Expr) []*schema {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		h.fail(e, "is no list of schemas")
		return nil
	}
	var out []*schema
	for _, item := range lit.Elts {
		s := &schema{}
		h.fill(s, item)
		out = append(out, s)
	}
	return out
}
