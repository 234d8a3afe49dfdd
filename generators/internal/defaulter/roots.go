package defaulter

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"sort"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"k8s.io/gengo/v2/types"
)

const (
	tagName   = "k8s:defaulter-gen"
	inputName = "k8s:defaulter-gen-input"
)

// request is what the tags of a package ask for.
type request struct {
	model *model.Model
	types *model.Package // whose types become roots
	with  []string       // field names that make a root
}

// readPackage reads the package tags; ok is false if they ask for nothing or are wrong. Without
// one, a package that is served has defaults for its kinds.
func readPackage(m *model.Model, pkg *model.Package, report *diag.Report) (_ request, ok bool) {
	values := m.OfPackage(pkg).Values(tagName)
	problem := func(format string, args ...any) (request, bool) {
		report.Add(diag.Problem{Pos: m.PackagePos(pkg), Path: "package " + pkg.Name, Message: fmt.Sprintf(format, args...)})
		return request{}, false
	}
	r := request{model: m, types: pkg}
	if len(values) == 0 && m.Serves(pkg) {
		values = []string{"TypeMeta"}
	}
	off := false
	for _, v := range values {
		switch v {
		case "false":
			off = true
		case "true":
		case "":
			return problem("+%s: want the name of a field that kinds have, like +%s=TypeMeta", tagName, tagName)
		default:
			r.with = append(r.with, v)
		}
	}
	if off && len(values) > 1 {
		return problem("+%s=false contradicts the package's other +%s", tagName, tagName)
	}
	if off || len(values) == 0 {
		return request{}, false
	}
	inputs := m.OfPackage(pkg).Values(inputName)
	if len(inputs) > 1 {
		return problem("+%s stands twice, want one package", inputName)
	}
	if len(inputs) == 1 {
		if r.types = m.Package(inputs[0]); r.types == nil {
			return problem("+%s=%s: there is no such package; want an import path", inputName, inputs[0])
		}
		if err := m.DependencyComments(inputs[0]); err != nil {
			return problem("+%s=%s: %v", inputName, inputs[0], err)
		}
	}
	return r, true
}

// roots returns the types that get a function if there is something to fill, sorted by name.
func (r request) roots(f *finder, report *diag.Report) []*types.Type {
	var out []*types.Type
	for name, t := range r.types.Types.Types {
		if !token.IsExported(name) || t.Name.Package != r.types.Path || len(t.TypeParams) > 0 || !r.wants(t, report) {
			continue
		}
		if f.of(t).object == nil {
			out = append(out, t)
		}
	}
	for _, t := range r.aliased() {
		if slices.ContainsFunc(r.with, func(name string) bool { return hasMember(t, name) }) && f.of(t).object == nil {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name.Name < out[j].Name.Name })
	return out
}

// aliased are the types of other packages that the package serves as kinds of its own.
func (r request) aliased() []*types.Type {
	var out []*types.Type
	for _, a := range r.model.Aliases(r.types) {
		out = append(out, a.Target)
	}
	return out
}

// named are the types for which functions are looked up by name: the package's own, and those that
// it has aliases of.
func (r request) named() map[string]*types.Type {
	out := maps.Clone(r.types.Types.Types)
	for _, t := range r.aliased() {
		out[t.Name.Name] = t
	}
	return out
}

// wants tells whether t is a root by its own tag or by its fields.
func (r request) wants(t *types.Type, report *diag.Report) bool {
	switch values := r.model.OfType(t).Values(tagName); {
	case len(values) == 1 && values[0] == "false":
		return false
	case len(values) == 1 && values[0] == "true":
		return true
	case len(values) > 0:
		report.Add(diag.Problem{
			Pos: r.model.TypePos(t), Path: t.Name.Name,
			Message: fmt.Sprintf("+%s=%s: on a type, want true or false, once", tagName, values[0]),
		})
		return false
	}
	for _, name := range r.with {
		if t.Kind == types.Struct && hasMember(t, name) {
			return true
		}
	}
	return false
}

func hasMember(t *types.Type, name string) bool {
	for _, m := range t.Members {
		if m.Name == name {
			return true
		}
	}
	return false
}

// isObject tells whether a root is a runtime.Object, as far as can be seen without generated
// methods.
func isObject(t *types.Type) bool {
	return hasMember(t, "TypeMeta") || t.Methods["GetObjectKind"] != nil
}

// Covers returns the names of the types for which the package has a function SetObjectDefaults_T:
// hand-written, or printed by this plug-in.
func Covers(m *model.Model, pkg *model.Package) map[string]bool {
	out := map[string]bool{}
	for name, fn := range pkg.Types.Functions {
		if len(name) > len(objectPrefix) && name[:len(objectPrefix)] == objectPrefix && fn.Underlying != nil {
			out[name[len(objectPrefix):]] = true
		}
	}
	// Problems are reported by Generate, which makes the same plan.
	if p, ok := newPlan(m, pkg, &diag.Report{}); ok {
		for _, t := range p.functions {
			if name, ok := rootName(t.name); ok {
				out[name] = true
			}
		}
	}
	return out
}

func rootName(function string) (string, bool) {
	if len(function) > len(objectPrefix) && function[:len(objectPrefix)] == objectPrefix {
		return function[len(objectPrefix):], true
	}
	return "", false
}
