package applyconfiguration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// printer prints the apply configurations of a plan.
type printer struct {
	plan
	pass    *generators.Pass
	schemas *schemas
}

// config prints the file of a type.
func (p printer) config(c config) {
	at := p.set.Apply.Below(c.version.Path())
	f := p.pass.FileIn(p.set.Package, at.Dir, at.Path, c.version.PackageName(), strings.ToLower(c.Name.Name)+".go", generator)
	f.Reserve("b", "value", "values", "entries", "i", "k", "v", "err", "fieldManager", "subresource", "name", "namespace", "object")
	p.structure(f, c)
	p.constructor(f, c)
	if c.kind != nil && c.kind.Applied() && p.set.Extract {
		p.extract(f, c)
	}
	if c.isKind() {
		f.P("// IsApplyConfiguration tells apply configurations from other types.")
		f.P("func (b ", c.name(), ") IsApplyConfiguration() {}")
		f.P()
	}
	setters{p, f, c, map[string]bool{}}.all(c.Type, nil)
	p.getters(f, c, c.Type, nil)
}

// structure prints the type.
func (p printer) structure(f *emit.File, c config) {
	f.P("// ", c.name(), " is what to apply of type ", c.Name.Name, ". What is nil is not applied.")
	printDoc(f, p.pass.Model.Doc(c.Type), true)
	f.P("type ", c.name(), " struct {")
	for _, m := range c.Members {
		if left(c.Type, m) {
			continue
		}
		printDoc(f, p.pass.Model.DocOfField(c.Type, m.Name), false)
		name, star := m.Name+" ", "*"
		if m.Embedded {
			name = ""
		}
		if nillable(m.Type) || inline(m) {
			star = ""
		}
		f.P(name, star, p.typeOf(f, m.Type), " `json:", strconv.Quote(jsonTag(m)), "`")
	}
	f.P("}")
	f.P()
}

// printDoc prints the lines of a comment except for its markers, after an empty line if others
// stand before it.
func printDoc(f *emit.File, lines []string, after bool) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "+") })
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if after && len(lines) > 0 {
		f.P("//")
	}
	for _, line := range lines {
		f.P("// ", strings.TrimSpace(line))
	}
}

// jsonTag is the struct tag of a field, which is never written if it is nil.
func jsonTag(m types.Member) string {
	json := model.JSONOf(m)
	switch {
	case inline(m) && !json.OmitEmpty:
		return ""
	case inline(m):
		return ",omitempty"
	}
	return model.JSONName(m) + ",omitempty"
}

// constructor prints the function that makes an apply configuration.
func (p printer) constructor(f *emit.File, c config) {
	name, params := c.Name.Name, ""
	f.P("// ", name, " makes an apply configuration of type ", name, ".")
	switch {
	case c.kind != nil && c.kind.Namespaced:
		params = "name, namespace string"
	case c.kind != nil:
		params = "name string"
	}
	f.P("func ", name, "(", params, ") *", c.name(), " {")
	if !c.isKind() {
		f.P("return &", c.name(), "{}")
		f.P("}")
		f.P()
		return
	}
	f.P("b := &", c.name(), "{}")
	if c.kind != nil {
		f.P("b.WithName(name)")
	}
	if c.kind != nil && c.kind.Namespaced {
		f.P("b.WithNamespace(namespace)")
	}
	p.typeMeta(f, c)
	f.P("return b")
	f.P("}")
	f.P()
}

// typeMeta prints the calls that say which kind it is.
func (p printer) typeMeta(f *emit.File, c config) {
	f.P("b.WithKind(", strconv.Quote(c.Name.Name), ")")
	f.P("b.WithAPIVersion(", strconv.Quote(c.version.APIVersion()), ")")
}

// extract prints the functions that take out of an object what somebody has applied.
func (p printer) extract(f *emit.File, c config) {
	name, managed := c.Name.Name, emit.Ident{Path: "k8s.io/apimachinery/pkg/util/managedfields", Name: "ExtractInto"}
	f.P("// Extract", name, "From takes out of an object what a manager owns of a subresource, or of the object itself for \"\",")
	f.P("// so that it can be changed and applied again. The object has to be as the server sent it. Of a field that")
	f.P("// somebody else has taken over there is nothing.")
	f.P("func Extract", name, "From(object *", c.Type, ", fieldManager string, subresource string) (*", c.name(), ", error) {")
	f.P("b := &", c.name(), "{}")
	f.P("err := ", managed, "(object, ", emit.Ident{Path: p.set.Apply.Below("internal").Path, Name: "Parser"}, "().Type(", strconv.Quote(p.schemas.modelName(c.Type)), "), fieldManager, b, subresource)")
	f.P("if err != nil {\nreturn nil, err\n}")
	f.P("b.WithName(object.Name)")
	if c.kind.Namespaced {
		f.P("b.WithNamespace(object.Namespace)")
	}
	p.typeMeta(f, c)
	f.P("return b, nil")
	f.P("}")
	f.P()
	f.P("// Extract", name, " is Extract", name, "From for the object itself.")
	f.P("func Extract", name, "(object *", c.Type, ", fieldManager string) (*", c.name(), ", error) {")
	f.P("return Extract", name, "From(object, fieldManager, \"\")")
	f.P("}")
	f.P()
	for _, sub := range subresources(c.kind) {
		f.P("// Extract", name, clients.TitleOf(sub), " is Extract", name, "From for subresource ", sub, ".")
		f.P("func Extract", name, clients.TitleOf(sub), "(object *", c.Type, ", fieldManager string) (*", c.name(), ", error) {")
		f.P("return Extract", name, "From(object, fieldManager, ", strconv.Quote(sub), ")")
		f.P("}")
		f.P()
	}
}

// subresources are those that somebody may own fields of.
func subresources(k *clients.Kind) []string {
	var out []string
	if k.Status {
		out = append(out, "status")
	}
	for _, m := range k.Methods {
		if m.Subresource != "" {
			out = append(out, m.Subresource)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// utils prints what finds an apply configuration by its kind.
func (p printer) utils() {
	at := p.set.Apply
	f := p.pass.FileIn(p.set.Package, at.Dir, at.Path, at.Name(), "utils.go", generator)
	f.Reserve("kind", "scheme")
	managed := func(name string) emit.Ident {
		return emit.Ident{Path: "k8s.io/apimachinery/pkg/util/managedfields", Name: name}
	}
	f.P("// ForKind makes an empty apply configuration for a kind, or returns nil if there is none.")
	f.P("func ForKind(kind ", emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime/schema", Name: "GroupVersionKind"}, ") interface{} {")
	f.P("switch kind {")
	for _, c := range p.configs {
		f.P("case ", emit.Ident{Path: c.version.Package.Path, Name: "SchemeGroupVersion"}, ".WithKind(", strconv.Quote(c.Name.Name), "):")
		f.P("return &", emit.Ident{Path: p.refs[c.Name], Name: c.name()}, "{}")
	}
	f.P("}")
	f.P("return nil")
	f.P("}")
	f.P()
	f.P("// NewTypeConverter makes what tells the owners of fields in objects of the scheme.")
	f.P("func NewTypeConverter(scheme *", emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Scheme"}, ") ", managed("TypeConverter"), " {")
	f.P("return ", managed("NewSchemeTypeConverter"), "(scheme, ", emit.Ident{Path: at.Below("internal").Path, Name: "Parser"}, "())")
	f.P("}")
}

// schema prints the schemas of all kinds.
func (p printer) schema() {
	at := p.set.Apply.Below("internal")
	f := p.pass.FileIn(p.set.Package, at.Dir, at.Path, "internal", "internal.go", generator)
	typed := func(name string) emit.Ident {
		return emit.Ident{Path: "sigs.k8s.io/structured-merge-diff/v6/typed", Name: name}
	}
	f.P("// Parser knows the schemas of all kinds that have apply configurations.")
	f.P("func Parser() *", typed("Parser"), " { return parser() }")
	f.P()
	f.P("var parser = ", emit.Ident{Path: "sync", Name: "OnceValue"}, "(func() *", typed("Parser"), " {")
	f.P("parser, err := ", typed("NewParser"), "(schemaYAML)")
	f.P("if err != nil {")
	f.P("panic(", emit.Ident{Path: "fmt", Name: "Sprintf"}, "(\"the schemas can't be read: %v\", err))")
	f.P("}")
	f.P("return parser")
	f.P("})")
	f.P()
	f.P("var schemaYAML = ", typed("YAMLObject"), "(", literal(p.schemas.yaml), ")")
}

// literal is a text as one of Go.
func literal(text string) string {
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("`%s`", text)
}
