package marker

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func presenceRules() []rule.Rule {
	// Both are read before the others of their field: see mayBeOmitted. What they mean on a
	// package: presenceAround.
	return []rule.Rule{
		{Name: Required, Scopes: rule.OnField, Value: rule.Flag, Example: "+" + rule.Kubebuilder + "Required",
			Doc: "The field must be there; it may be empty. Of kinds that a server of the run serves, what was sent is looked at. Elsewhere, and where nobody " +
				"knows what was sent (protobuf), Go can't tell a string, number, bool or struct that was left out from one that is zero. " +
				"So of these nothing is checked, except where clients leave out what is zero (omitempty). +k8s:required is stricter.",
			Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				switch {
				case off(t):
					return plan.Plan{}, nil
				case p.Law == rule.OfResources:
					return sent(s, true), nil
				}
				return present(s)
			}},
		{Name: Optional, Scopes: rule.OnField, Value: rule.Flag, Example: "+" + rule.Kubebuilder + "Optional",
			Doc: "The field may be left out, and then nothing else of it is validated. On a package it is for all fields that say nothing of it. " +
				"As for controller-gen it may then also stand in a comment above nothing, or in the block before the comment of a type.",
			Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				if off(t) || rule.HasRule(s, "k8s:optional") || shape.Native(s.Type).Kind == types.Struct {
					return plan.Plan{}, nil
				}
				skip, err := SkipLeftOut(p, s.Type)
				return plan.Of(skip), err
			}},
	}
}

// sent wants a field of a custom resource to have been sent. said tells that a tag wants it, not
// only the lack of omitempty. Then a list, a map or what is behind a pointer is missed also where
// nobody knows what was sent.
func sent(s *rule.Site, said bool) plan.Plan {
	if rule.HasRule(s, "k8s:required") {
		return plan.Plan{}
	}
	kind := shape.Native(s.Type).Kind
	name, known := kinds[kind]
	if !known {
		return plan.Plan{}
	}
	// A pointer to a pointer is a shape that nobody looks at.
	if elem := shape.Native(s.Type).Elem; kind == types.Pointer && shape.Native(elem).Kind == types.Pointer {
		return plan.Plan{}
	}
	omits := said && (shape.Omitted(*s.Member) || kind == types.Slice || kind == types.Map || kind == types.Pointer)
	call := plan.Call{Func: plan.Runtime("Required" + name), Stop: true, Always: true, Implied: !said, AnyShape: true, Emits: []plan.Emission{{Type: "FieldValueRequired"}}}
	if kind != types.Struct {
		call.Args = []any{omits}
	}
	return plan.Of(call)
}

// kinds are the endings of the runtime's functions about presence.
var kinds = map[types.Kind]string{
	types.Builtin: "Value", types.Pointer: "Pointer", types.Struct: "Struct", types.Slice: "Slice", types.Map: "Map",
}

// SkipLeftOut is the call that ends the validation of a value that was left out, without an error.
func SkipLeftOut(p *rule.Planner, t *types.Type) (plan.Call, error) {
	skip, err := declarative.SkipUnset(t)
	if kind := shape.Native(t).Kind; p.Law == rule.OfResources && kind != types.Pointer && kind != types.Struct && kinds[kind] != "" {
		skip.Func = plan.Runtime("Optional" + kinds[kind])
	}
	return skip, err
}

// present wants a field to be there, as far as its Go value shows that it is.
func present(s *rule.Site) (plan.Plan, error) {
	var h plan.Helper
	switch k := shape.Native(s.Type).Kind; {
	case rule.HasRule(s, "k8s:required") || rule.HasRule(s, "nullable") || k == types.Struct:
		return plan.Plan{}, nil
	case k == types.Slice:
		h = helperList
	case k == types.Map:
		h = helperMap
	case k == types.Pointer || shape.Omitted(*s.Member):
		return declarative.Required(s)
	default:
		return plan.Plan{}, nil
	}
	out := plan.HelperCall(h, plan.Emission{Type: "FieldValueRequired", Origin: "", Path: ""})
	out.Calls[0].Stop = true
	return out, nil
}

// there is the text of a helper that wants a list or map not to be nil.
func there(name, params, typ string) plan.Helper {
	return plan.Helper{Name: name, Lines: func() [][]any {
		list := plan.Ident(plan.FieldPath, "ErrorList")
		return [][]any{
			{"// ", name, " wants a value that may be empty, but was not left out."},
			{"func ", name, "[", params, "](_ ", plan.Ident("context", "Context"), ", _ ", plan.Ident(plan.OperationPath, "Operation"), ", fldPath *", plan.Ident(plan.FieldPath, "Path"), ", obj, _ ", typ, ") ", list, " {"},
			{"if obj != nil {"}, {"return nil"}, {"}"},
			{"return ", list, "{", plan.Ident(plan.FieldPath, "Required"), `(fldPath, "")}`},
			{"}"},
		}
	}}
}

var (
	helperList = there("validate_listPresent", "T any", "[]T")
	helperMap  = there("validate_mapPresent", "K comparable, V any", "map[K]V")
)

func shapeRules() []rule.Rule {
	silent := func(name, doc string) rule.Rule {
		return rule.Rule{Name: rule.Kubebuilder + name, Scopes: rule.OnAny, Value: rule.Flag, Example: "+" + rule.Kubebuilder + name, Doc: doc,
			Plan: func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) { return plan.Plan{}, nil }}
	}
	return []rule.Rule{
		silent("XPreserveUnknownFields", "The value keeps unknown fields; there is nothing to validate."),
		silent("Schemaless", "The value has no schema; there is nothing to validate."),
		silent("XIntOrString", "The value is an integer or a string, which its Go type says too."),
		{Name: rule.Kubebuilder + "EmbeddedResource", Scopes: rule.OnAny, Value: rule.Flag, Example: "+" + rule.Kubebuilder + "EmbeddedResource",
			Doc: "The value is a Kubernetes object: it has apiVersion and kind.", Plan: marked(embeddedResource)},
		{Name: rule.Kubebuilder + "XEmbeddedResource", Scopes: rule.OnAny, Value: rule.Flag, Example: "+" + rule.Kubebuilder + "XEmbeddedResource",
			Doc: "The same as EmbeddedResource.", Plan: marked(embeddedResource)},
		{Name: rule.Kubebuilder + "Type", Scopes: rule.OnAny, Value: rule.Words, Example: "+" + rule.Kubebuilder + "Type=string",
			Doc: "JSON type of the value: string, integer, number, boolean, array or object. Its Go type must agree. With no type (Type=\"\") the value may be anything that a Go type reads itself.", Plan: marked(jsonType)},
	}
}

// jsonType checks at generation time what the decoder of JSON will hold values to. Where that takes
// anything, the value is looked at.
func jsonType(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	kinds := []string{"string", "integer", "number", "boolean", "array", "object"}
	name, itself := strings.ToLower(unquoted(t.Value)), readsItself(s.Type)
	b := shape.Bare(s.Type)
	switch {
	case name == "" && (itself || b.Kind == types.Interface):
		return plan.Plan{}, nil
	case !slices.Contains(kinds, name):
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("there is no JSON type %s", t.Value), Cure: "want " + strings.Join(kinds, ", ")}
	case slices.Contains(anyJSON, b.Name) && (name != "object" || b.Name != rawExtension): // which is an object anyway
		return plan.HelperCall(helperJSONType, plan.Emission{Type: "FieldValueTypeInvalid", Origin: "", Path: ""}, name), nil
	case itself:
		return plan.Plan{}, nil
	}
	agrees := map[string]bool{"string": shape.IsString(b), "integer": shape.IsInt(b), "number": shape.IsInt(b) || shape.IsFloat(b), "boolean": shape.IsBool(b)}
	if fits, basic := agrees[name]; b.Kind == types.Builtin && (!basic || !fits) {
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("a %s is never of JSON type %s", b.Name.Name, name), Cure: "remove the tag, or change the Go type"}
	}
	return plan.Plan{}, nil
}

// readsItself tells whether a type, or one that it is named after, has JSON of its own.
func readsItself(t *types.Type) bool {
	for layer := range model.Layers(t) {
		if shape.OwnJSON(layer) {
			return true
		}
	}
	return false
}

// anyJSON are types of Kubernetes that read whatever there is.
var (
	rawExtension = types.Name{Package: "k8s.io/apimachinery/pkg/runtime", Name: "RawExtension"}
	anyJSON      = []types.Name{
		rawExtension,
		{Package: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", Name: "JSON"},
		{Package: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1", Name: "JSON"},
	}
)

var helperJSONType = plan.Validator("validate_jsonType", "wants a value that is of a type in JSON.", "any", []any{"want string"},
	[]any{"data, err := ", plan.Ident("encoding/json", "Marshal"), "(obj)"},
	[]any{"var value any"},
	[]any{"if err != nil || ", plan.Ident("encoding/json", "Unmarshal"), "(data, &value) != nil || value == nil {"}, []any{"return nil"}, []any{"}"},
	[]any{`got := "object"`},
	[]any{"switch value := value.(type) {"},
	[]any{"case []any:"}, []any{`got = "array"`},
	[]any{"case string:"}, []any{`got = "string"`},
	[]any{"case bool:"}, []any{`got = "boolean"`},
	[]any{"case float64:"}, []any{`got = "number"`},
	[]any{"if value == float64(int64(value)) {"}, []any{`got = "integer"`}, []any{"}"},
	[]any{"}"},
	[]any{`if got != want && !(got == "integer" && want == "number") {`},
	[]any{"return ", plan.Ident(plan.FieldPath, "ErrorList"), "{", plan.Ident(plan.FieldPath, "TypeInvalid"), `(fldPath, got, "must be of type "+want)}`}, []any{"}"})

func embeddedResource(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if off(t) || shape.Bare(s.Type).Name != rawExtension {
		return plan.Plan{}, nil // a Go struct says itself what it has
	}
	return plan.HelperCall(helperEmbedded, plan.Emission{Type: "FieldValueRequired", Origin: "", Path: ".kind"}), nil
}

var helperEmbedded = plan.Helper{Name: "validate_embeddedResource", Lines: func() [][]any {
	list, path := plan.Ident(plan.FieldPath, "ErrorList"), plan.Ident(plan.FieldPath, "Path")
	return [][]any{
		{"// validate_embeddedResource wants an object with apiVersion and kind."},
		{"func validate_embeddedResource(_ ", plan.Ident("context", "Context"), ", _ ", plan.Ident(plan.OperationPath, "Operation"), ", fldPath *", path, ", obj, _ *", plan.Ident("k8s.io/apimachinery/pkg/runtime", "RawExtension"), ") (errs ", list, ") {"},
		{"if obj == nil || len(obj.Raw) == 0 {"}, {"return nil"}, {"}"},
		{"var typed struct {"}, {"APIVersion, Kind string"}, {"}"},
		{"if err := ", plan.Ident("encoding/json", "Unmarshal"), "(obj.Raw, &typed); err != nil {"},
		{"return ", list, "{", plan.Ident(plan.FieldPath, "Invalid"), `(fldPath, string(obj.Raw), "must be an object")}`},
		{"}"},
		{`if typed.APIVersion == "" {`}, {"errs = append(errs, ", plan.Ident(plan.FieldPath, "Required"), `(fldPath.Child("apiVersion"), ""))`}, {"}"},
		{`if typed.Kind == "" {`}, {"errs = append(errs, ", plan.Ident(plan.FieldPath, "Required"), `(fldPath.Child("kind"), ""))`}, {"}"},
		{"return errs"},
		{"}"},
	}
}}
