package apiserver

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

const (
	getter    form = "Getter"
	action    form = "Action"
	change    form = "Change"
	part      form = "Part"
	connector form = "Connector"
)

// authoredOf plans the subresources that the markers of a kind ask for. t is its strategy, nil if
// there is none.
func (p *planner) authoredOf(t *types.Type, h *hub) []authored {
	var out []authored
	for _, w := range p.wanted(h) {
		at := w.versions[0]
		problem := func(message, cure string) {
			p.problem(at.pos, at.goType.Name.Name, fmt.Sprintf("+%s:name=%s: %s", tagSubresource, w.name, message), cure)
		}
		if t == nil {
			problem("nobody would answer it", fmt.Sprintf("write a type %sStrategy beside main with a method %s", h.groupKind.Kind, methodName(w.name)))
			continue
		}
		method := methodOf(t, w.name)
		if method == nil {
			cure := "write one in one of these forms: " + strings.Join(methodForms(h), "; ")
			if near := tag.Nearest(methodName(w.name), slices.Collect(maps.Keys(t.Methods))); near != "" {
				cure = "did you mean " + near + "?"
			}
			problem(fmt.Sprintf("%s has no method %s", t.Name.Name, methodName(w.name)), cure)
			continue
		}
		a, ok := p.authored(method, h)
		if !ok {
			continue
		}
		if len(w.methods) > 0 && a.form != connector {
			problem("methods= is for what answers by itself, which "+method.Name.Name+" does not", "remove it")
		}
		if w.below != "" && a.form != connector {
			problem("below= is for what answers by itself, which "+method.Name.Name+" does not", "remove it")
		}
		if w.below != "" && a.form == connector && !hasString(a.takes, w.below) {
			problem(fmt.Sprintf("%s has no string %q for the rest of the path", a.takes.Name.Name, w.below), "name one by its name in JSON, or add it")
		}
		a.name, a.methods, a.below = w.name, w.methods, w.below
		if len(a.methods) == 0 {
			a.methods = []string{http.MethodGet}
		}
		a.versions = servedIn(w.versions, h)
		out = append(out, a)
	}
	return out
}

// hasString says whether a struct has a string of that name in JSON.
func hasString(t *types.Type, name string) bool {
	_, found := jsonField(t, name)
	return found != nil && textOf(found) == "string"
}

// bodiesOf finds what the methods of strategies take besides objects.
func bodiesOf(main *model.Package) map[*types.Type]bool {
	bodies := map[*types.Type]bool{}
	for name, t := range main.Types.Types {
		if !strings.HasSuffix(name, strategySuffix) {
			continue
		}
		for _, m := range withPromoted(t).Methods {
			if params := typesOf(m.Signature.Parameters); len(params) == 3 && params[2].Kind == types.Pointer && params[1] != params[2] {
				bodies[params[2].Elem] = true
			}
		}
	}
	return bodies
}

// answering are the methods of a strategy that are not its hooks because a marker of the kind names
// them.
func answering(t *types.Type, h *hub) map[string]bool {
	names := map[string]bool{}
	for _, v := range h.versions {
		markers, _ := v.markers.Arguments(tagSubresource)
		for _, a := range slices.Concat(markers...) {
			if m := methodOf(t, a.Value); a.Key == "name" && m != nil {
				names[m.Name.Name] = true
			}
		}
	}
	return names
}

// servedIn are the served ones of some versions; nil if all of the kind's are.
func servedIn(some []*version, h *hub) []schema.GroupVersion {
	var in []schema.GroupVersion
	missing := false
	for _, v := range h.versions {
		switch {
		case v.served && slices.Contains(some, v):
			in = append(in, v.gv)
		case v.served:
			missing = true
		}
	}
	if !missing {
		return nil
	}
	return in
}

// methodName is what the method of a subresource is called, like PortForward for port-forward.
func methodName(subresource string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(subresource, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// methodOf finds the method of a subresource; portforward may be PortForward. nil: there is none.
func methodOf(t *types.Type, subresource string) *types.Type {
	want := methodName(subresource)
	if m := t.Methods[want]; m != nil {
		return m
	}
	for _, name := range slices.Sorted(maps.Keys(t.Methods)) {
		if strings.EqualFold(name, want) {
			return t.Methods[name]
		}
	}
	return nil
}

// authored finds out which form a method has, and its kinds.
func (p *planner) authored(method *types.Type, h *hub) (a authored, ok bool) {
	a.method = method.Name.Name
	params, results := typesOf(method.Signature.Parameters), typesOf(method.Signature.Results)
	switch {
	case len(params) < 2 || params[0].Name.String() != "context.Context" || len(results) == 0 || results[len(results)-1].Name.String() != "error":
	case len(params) == 2 && is(params[1], "T", h.goType) && len(results) == 2:
		a.form = getter
		a.answer, ok = p.kindOf(method, results[0], false)
	case len(params) == 3 && is(params[1], "T", h.goType) && is(params[2], "T", h.goType) && len(results) == 1:
		a.form = part
		return a, true
	case len(params) == 3 && is(params[1], "T", h.goType) && len(results) == 1:
		a.form = change
		a.body, ok = p.kindOf(method, params[2], true)
	case len(params) == 3 && isParent(params[1], h.goType) && len(results) == 2 && results[0].Name.String() == "net/http.Handler":
		a.form, ok = connector, true
		a.body = p.apiKind(params[2].Elem)
	case len(params) == 3 && isParent(params[1], h.goType) && len(results) == 2:
		a.form = action
		var known bool
		a.body, ok = p.kindOf(method, params[2], true)
		a.answer, known = p.kindOf(method, results[0], false)
		ok = ok && known
	}
	if len(params) == 3 {
		a.takes = params[2].Elem
		a.defaults, a.validate = p.rulesOf(a.takes)
	}
	if a.form == "" {
		p.problem(p.model.FuncPos(method), method.Name.Name, "a subresource can't be answered by a method in this form", "write it in one of these: "+strings.Join(methodForms(h), "; "))
	}
	return a, ok
}

func typesOf(list []*types.ParamResult) []*types.Type {
	var out []*types.Type
	for _, p := range list {
		out = append(out, p.Type)
	}
	return out
}

// isParent says whether t is a *registry.Parent of the hub.
func isParent(t, hub *types.Type) bool {
	return t.Kind == types.Pointer && t.Elem.Name == types.Name{Package: registryPath, Name: "Parent[*" + hub.Name.String() + "]"}
}

// methodForms are those that a method of a subresource may have.
func methodForms(h *hub) []string {
	obj := "*" + packageName(h.goType) + "." + h.goType.Name.Name
	return []string{
		fmt.Sprintf("func(ctx context.Context, obj %s) (*Answer, error) to read", obj),
		fmt.Sprintf("func(ctx context.Context, obj %s, in *Body) error to change the object", obj),
		fmt.Sprintf("func(ctx context.Context, obj, sent %s) error to write a part of the object", obj),
		fmt.Sprintf("func(ctx context.Context, of *registry.Parent[%s], in *Body) (*Answer, error) to act", obj),
		fmt.Sprintf("func(ctx context.Context, of *registry.Parent[%s], opts *Options) (http.Handler, error) to stream", obj),
	}
}

// kindOf is the kind of what a method takes or gives, which has to be declared in an API package.
func (p *planner) kindOf(method, t *types.Type, sent bool) (schema.GroupVersionKind, bool) {
	problem := func(message, cure string) (schema.GroupVersionKind, bool) {
		p.problem(p.model.FuncPos(method), method.Name.Name, message, cure)
		return schema.GroupVersionKind{}, false
	}
	if t.Kind != types.Pointer || t.Elem.Kind != types.Struct {
		return problem(fmt.Sprintf("a subresource takes and gives pointers to structs, not a %s", t), "write it in one of the forms of package registry: Getter, Action, Change, Part, Connector")
	}
	t = t.Elem
	if t.Name == (types.Name{Package: metaV1, Name: "Status"}) {
		return schema.GroupVersionKind{Version: "v1", Kind: "Status"}, true
	}
	gvk := p.apiKind(t)
	switch {
	case gvk.Empty():
		return problem(t.Name.String()+" is in no version of an API", "declare it, or an alias of it, in a package with +groupName= below the one with the strategy")
	case sent && (!model.Embeds(t, "TypeMeta") || !model.Embeds(t, "ObjectMeta")):
		return problem(t.Name.String()+" has no metadata", "embed metav1.TypeMeta and metav1.ObjectMeta")
	case !model.Embeds(t, "TypeMeta"):
		return problem(t.Name.String()+" does not say its kind", "embed metav1.TypeMeta")
	}
	return gvk, true
}

// rulesOf returns the API packages that have the functions for the defaults and the rules of a
// struct, nil for none.
func (p *planner) rulesOf(t *types.Type) (defaults, validate *model.Package) {
	pkg := p.apiPackage(t)
	if pkg == nil {
		return nil, nil
	}
	if defaulter.Covers(p.model, pkg)[t.Name.Name] {
		defaults = pkg
	}
	if validation.Covers(p.pass, pkg)[t.Name.Name] {
		validate = pkg
	}
	return defaults, validate
}

// apiKind is the kind of a struct by the API package that declares it or an alias of it; empty if
// none does.
func (p *planner) apiKind(t *types.Type) schema.GroupVersionKind {
	pkg := p.apiPackage(t)
	if pkg == nil {
		return schema.GroupVersionKind{}
	}
	return p.groupVersions[pkg].WithKind(t.Name.Name)
}

// apiPackage is the package that declares a struct, or an alias of it; nil if none does.
func (p *planner) apiPackage(t *types.Type) *model.Package {
	if t == nil {
		return nil
	}
	for _, pkg := range p.api {
		alias := func(a model.Alias) bool { return a.Target == t && a.Name == t.Name.Name }
		if t.Name.Package == pkg.Path || slices.ContainsFunc(pkg.Aliases, alias) {
			return pkg
		}
	}
	return nil
}
