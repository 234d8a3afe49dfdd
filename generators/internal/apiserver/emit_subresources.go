package apiserver

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// copyStatus prints the function that a status subresource is made of.
func (p printer) copyStatus(h *hub) {
	if !h.hasStatusField() {
		p.P("CopyStatus: func(_, _ *", h.ident(), ") {},")
		return
	}
	p.P("CopyStatus: func(from, to *", h.ident(), ") { to.Status = from.Status },")
}

// scale prints the functions that read and write the scale of one version.
func (p printer) scale(v *version) {
	s := v.scale
	p.P()
	p.P("// scale_", v.suffix, " returns what the scale subresource shows of kind ", v.goType.Name.Name, " in ", v.gv, ".")
	p.P("func scale_", v.suffix, "(in *", v.ident(), ") ", p.runtime("Scale"), " {")
	p.P("var out ", p.runtime("Scale"))
	p.read("out.Replicas", s.replicas, cast(s.replicas, "int32"))
	p.read("out.Current", s.current, cast(s.current, "int32"))
	if s.selector != nil {
		p.read("out.Selector", *s.selector, p.selectorText(*s.selector))
	}
	p.P("return out")
	p.P("}")
	p.P()
	p.P("// setReplicas_", v.suffix, " changes how many replicas an object of kind ", v.goType.Name.Name, " in ", v.gv, " asks for.")
	p.P("func setReplicas_", v.suffix, "(in *", v.ident(), ", replicas int32) {")
	for _, g := range s.replicas.guards {
		p.P("if ", g.value, " == nil {")
		p.P(g.value, " = new(", g.elem, ")")
		p.P("}")
	}
	value := "replicas"
	if leaf := s.replicas.leaf; leaf.Name.Name != "int32" || leaf.Name.Package != "" {
		value = p.Type(leaf) + "(replicas)"
	}
	p.P(s.replicas.value, " = ", value)
	p.P("}")
}

// read prints the assignment of a field that may not exist.
func (p printer) read(to string, f target, value string) {
	condition := f.exists()
	if condition != "" {
		p.P("if ", condition, " {")
	}
	p.P(to, " = ", value)
	if condition != "" {
		p.P("}")
	}
}

// selectorText is the expression of a selector as text.
func (p printer) selectorText(f target) string {
	switch selectorForm(f.leaf) {
	case "set":
		return fmt.Sprintf("%s(%s).String()", p.Ident("k8s.io/apimachinery/pkg/labels", "SelectorFromSet"), cast(f, "map[string]string"))
	case "selector":
		if f.value[0] == '*' {
			return p.Ident(runtimePath, "SelectorText") + "(" + f.value[1:] + ")"
		}
		return p.Ident(runtimePath, "SelectorText") + "(&" + f.value + ")"
	}
	return cast(f, "string")
}

// cast is the expression of a field as another type.
func cast(f target, to string) string {
	if f.leaf.Name.Name == to && f.leaf.Name.Package == "" {
		return f.value
	}
	return to + "(" + f.value + ")"
}

// authored prints the subresources that the strategy of a kind answers.
func (p printer) authored(h *hub) {
	if len(h.authored) == 0 {
		return
	}
	registry := func(name string) emit.Ident { return emit.Ident{Path: registryPath, Name: name} }
	p.P("Subresources: []", registry("Subresource"), "[*", h.ident(), "]{")
	for _, a := range h.authored {
		var line []any
		ruled := a.defaults != nil || a.validate != nil
		if ruled {
			line = append(line, registry("WithRules"), "(")
		}
		line = append(line, registry(string(a.form)), "(", quoted(a.name), ", ")
		switch a.form {
		case getter:
			line = append(line, p.groupVersionKind(a.answer), ", ")
		case action:
			line = append(line, p.groupVersionKind(a.body), ", ", p.groupVersionKind(a.answer), ", ")
		case change:
			line = append(line, p.groupVersionKind(a.body), ", ")
		case connector:
			line = append(line, p.groupVersionKind(a.body), ", ", stringList(a.methods), ", ")
		}
		line = append(line, h.local, "Strategy.", a.method, ")")
		if ruled {
			beside := func(pkg *model.Package, prefix string) any {
				if pkg == nil {
					return "nil"
				}
				return emit.Ident{Path: pkg.Path, Name: prefix + a.takes.Name.Name}
			}
			line = append(line, ", ", beside(a.defaults, "SetObjectDefaults_"), ", ", beside(a.validate, "Validate_"), ")")
		}
		if a.below != "" {
			line = append(line, ".Below(", quoted(a.below), ")")
		}
		if a.versions != nil {
			line = append(line, ".In(")
			for i, gv := range a.versions {
				if i > 0 {
					line = append(line, ", ")
				}
				line = append(line, p.groupVersion(gv))
			}
			line = append(line, ")")
		}
		p.P(append(line, ",")...)
	}
	p.P("},")
}

func (p printer) groupVersionKind(gvk schema.GroupVersionKind) string {
	if gvk.Empty() {
		return p.Ident(schemaPath, "GroupVersionKind") + "{}"
	}
	return fmt.Sprintf("%s{Group: %q, Version: %q, Kind: %q}", p.Ident(schemaPath, "GroupVersionKind"), gvk.Group, gvk.Version, gvk.Kind)
}
