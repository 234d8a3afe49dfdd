package apiserver

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

var (
	ctx = param{"ctx", "context.Context"}
	obj = param{"obj", "T"}
	old = param{"old", "T"}
)

var to, from = param{"to", "T"}, param{"from", "T"}

// hooks are the methods that fill in a registry.Strategy.
var hooks = []hook{
	{"PrepareForCreate", []param{ctx, obj}, "", function},
	{"PrepareForUpdate", []param{ctx, obj, old}, "", function},
	{"PrepareForStatusUpdate", []param{ctx, obj, old}, "", statusUpdate},
	{"Validate", []param{ctx, obj}, "field.ErrorList", function},
	{"ValidateUpdate", []param{ctx, obj, old}, "field.ErrorList", function},
	{"ValidateStatusUpdate", []param{ctx, obj, old}, "field.ErrorList", statusUpdate},
	{"ValidationOptions", []param{ctx, obj, old}, "map[string]bool", function},
	{"ValidateName", []param{{"name", "string"}, {"prefix", "bool"}}, "[]string", function},
	{"WarningsOnCreate", []param{ctx, obj}, "[]string", function},
	{"WarningsOnUpdate", []param{ctx, obj, old}, "[]string", function},
	{"WarningsOnStatusUpdate", []param{ctx, obj, old}, "[]string", statusUpdate},
	{"Canonicalize", []param{obj}, "", function},
	{"AfterCreate", []param{ctx, obj}, "", function},
	{"AfterUpdate", []param{ctx, obj, old}, "", function},
	{"AfterDelete", []param{ctx, obj}, "", function},
	{"Decorate", []param{obj}, "", function},
	{"CheckGracefulDelete", []param{ctx, obj, {"opts", "*metav1.DeleteOptions"}}, "bool", deletion},
	{"PrepareForDelete", []param{obj}, "", deletion},
	{"Expires", []param{obj}, "*metav1.Time", deletion},
	{"Held", []param{obj}, "bool", deletion},
	{"Finalize", []param{from, to}, "", deletion},
	{"ResetFields", []param{{"subresource", "string"}}, "[]string", bySubresource},
	{"HasGeneration", nil, "bool", denied},
	{"StatusOnCreate", nil, "bool", value},
	{"StatusMetadata", nil, "bool", value},
	{"AllowUnconditionalUpdate", nil, "bool", choice},
	{"AllowCreateOnUpdate", nil, "bool", value},
	{"OrphansDependents", nil, "bool", value},
	{"Columns", nil, "[]metav1.TableColumnDefinition", value},
	{"Cells", []param{obj}, "[]any", function},
}

// ofStatus are the hooks of kinds with a status subresource.
var ofStatus = []string{"PrepareForStatusUpdate", "ValidateStatusUpdate", "WarningsOnStatusUpdate", "StatusOnCreate", "StatusMetadata"}

// strategySuffix ends the name of a strategy, which begins with the kind.
const strategySuffix = "Strategy"

// strategies finds the strategy of each kind by its name.
func (p *planner) strategies(s *server) {
	of := map[string][]*hub{}
	var kinds []string
	for _, h := range s.hubs {
		of[h.groupKind.Kind] = append(of[h.groupKind.Kind], h)
		kinds = append(kinds, h.groupKind.Kind)
	}
	for _, name := range slices.Sorted(maps.Keys(s.pkg.Types.Types)) {
		t := s.pkg.Types.Types[name]
		kind, ok := strings.CutSuffix(name, strategySuffix)
		if !ok || t.Kind != types.Struct || !token.IsExported(name) {
			continue
		}
		t = withPromoted(t)
		switch hubs := of[kind]; {
		case len(hubs) == 1:
			hubs[0].strategy = p.strategy(t, hubs[0])
		case len(hubs) > 1:
			p.problem(p.model.TypePos(s.pkg.Types.Types[name]), name, fmt.Sprintf("%d groups have a kind %s", len(hubs), kind), "serve the groups from two programs, or rename a kind")
		case hasHook(t):
			cure := "call it <Kind>" + strategySuffix + ", for a kind of this server"
			if near := tag.Nearest(kind, kinds); near != "" {
				cure = "did you mean " + near + strategySuffix + "?"
			}
			p.problem(p.model.TypePos(s.pkg.Types.Types[name]), name, "there is no kind "+kind, cure)
		}
	}
	for _, h := range s.hubs {
		if h.strategy == nil {
			h.authored = p.authoredOf(nil, h)
		}
	}
}

func (s *strategy) has(name string) bool {
	return slices.ContainsFunc(s.hooks, func(k hook) bool { return k.name == name })
}

// strategy collects the hooks of t and reports methods that are none, or are written otherwise.
func (p *planner) strategy(t *types.Type, h *hub) *strategy {
	out := &strategy{goType: t}
	h.authored = p.authoredOf(t, h)
	answers := answering(t, h)
	for _, k := range hooks {
		method := t.Methods[k.name]
		if method == nil {
			continue
		}
		if k.fits(method.Signature, h.goType) {
			out.hooks = append(out.hooks, k)
			if !h.status && slices.Contains(ofStatus, k.name) && method.Name.Package == t.Name.Package {
				p.problem(p.model.FuncPos(method), t.Name.Name+"."+k.name, "nothing calls it, since "+h.groupKind.Kind+" has no status subresource",
					"write +kubebuilder:subresource:status at the kind")
			}
			continue
		}
		p.problem(p.model.FuncPos(method), t.Name.Name+"."+k.name, "a strategy has it in another form", "write it as "+k.declaration(t, h.goType))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Methods)) {
		if !token.IsExported(name) || t.Methods[name].Name.Package != t.Name.Package || answers[name] || slices.ContainsFunc(hooks, func(k hook) bool { return k.name == name }) {
			continue
		}
		var known []string
		for _, k := range hooks {
			known = append(known, k.name)
		}
		cure := "a strategy has " + strings.Join(known, ", ") + "; subresources have a marker +" + tagSubresource + ":name= on their kind; methods with a small letter are yours"
		if near := cmp.Or(synonyms[name], tag.Nearest(name, known)); near != "" {
			cure = "did you mean " + near + "?"
		}
		p.problem(p.model.FuncPos(t.Methods[name]), t.Name.Name+"."+name, "nothing would call this method", cure)
	}
	p.checkColumns(out, h)
	return out
}

// synonyms are hooks by what other frameworks call them.
var synonyms = map[string]string{
	"BeforeCreate": "PrepareForCreate", "BeforeUpdate": "PrepareForUpdate", "BeginCreate": "PrepareForCreate", "BeginUpdate": "PrepareForUpdate",
	"ValidateCreate": "Validate", "Default": "PrepareForCreate",
}

func hasHook(t *types.Type) bool {
	return slices.ContainsFunc(hooks, func(k hook) bool { return t.Methods[k.name] != nil })
}

// fits says whether a method has the form of the hook for the hub type.
func (k hook) fits(s *types.Signature, hub *types.Type) bool {
	if len(s.Parameters) != len(k.params) || s.Variadic {
		return false
	}
	for i, p := range k.params {
		if !is(s.Parameters[i].Type, p.typ, hub) {
			return false
		}
	}
	if k.result == "" {
		return len(s.Results) == 0
	}
	return len(s.Results) == 1 && is(s.Results[0].Type, k.result, hub)
}

// is says whether t is the type that users write as want.
func is(t *types.Type, want string, hub *types.Type) bool {
	switch want {
	case "T":
		return t.Kind == types.Pointer && t.Elem == hub
	case "[]metav1.TableColumnDefinition":
		return t.Kind == types.Slice && t.Elem.Name == types.Name{Package: metaV1, Name: "TableColumnDefinition"}
	case "*metav1.DeleteOptions":
		return t.Kind == types.Pointer && t.Elem.Name == types.Name{Package: metaV1, Name: "DeleteOptions"}
	case "*metav1.Time":
		return t.Kind == types.Pointer && isTime(t.Elem)
	case "map[string]bool":
		return t.Kind == types.Map && t.Key == types.String && t.Elem == types.Bool
	case "[]any":
		return t.Kind == types.Slice && t.Elem.Kind == types.Interface && len(t.Elem.Methods) == 0
	case "field.ErrorList":
		return t.Name == types.Name{Package: fieldPath, Name: "ErrorList"}
	}
	return t.Name.String() == want
}

// declaration is the hook as it should be written on the strategy t.
func (k hook) declaration(t, hub *types.Type) string {
	var params []string
	for _, p := range k.params {
		if p.typ == "T" {
			p.typ = "*" + packageName(hub) + "." + hub.Name.Name
		}
		params = append(params, p.name+" "+p.typ)
	}
	return strings.TrimSpace(fmt.Sprintf("func (%s) %s(%s) %s", t.Name.Name, k.name, strings.Join(params, ", "), k.result))
}

func packageName(t *types.Type) string {
	return t.Name.Package[strings.LastIndexByte(t.Name.Package, '/')+1:]
}
