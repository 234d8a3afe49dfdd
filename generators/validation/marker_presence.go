package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func markerPresenceRules() []rule {
	// Both are read before the others of their field: see mayBeOmitted. What they mean on a package: presenceAround.
	return []rule{
		{name: markerRequired, scopes: onField, value: flag, example: "+" + kubebuilder + "Required",
			doc: "The field must be there; it may be empty. Go can't tell a string, number, bool or struct that was left out from one that is zero, " +
				"so of these nothing is checked, except where clients leave out what is zero (omitempty). +k8s:required is stricter.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) {
				if off(t) {
					return plan{}, nil
				}
				return present(s)
			}},
		{name: markerOptional, scopes: onField, value: flag, example: "+" + kubebuilder + "Optional",
			doc: "The field may be left out, and then nothing else of it is validated.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) {
				if off(t) || hasRule(s, "k8s:optional") || native(s.typ).Kind == types.Struct {
					return plan{}, nil
				}
				skip, err := skipUnset(s.typ)
				return of(skip), err
			}},
	}
}

// present wants a field to be there, as far as its Go value shows that it is.
func present(s *site) (plan, error) {
	var h helper
	switch k := native(s.typ).Kind; {
	case hasRule(s, "k8s:required") || hasRule(s, "nullable") || k == types.Struct:
		return plan{}, nil
	case k == types.Slice:
		h = helperList
	case k == types.Map:
		h = helperMap
	case k == types.Pointer || omitted(*s.member):
		return required(s)
	default:
		return plan{}, nil
	}
	out := helperCall(h, emission{"FieldValueRequired", "", ""})
	out.calls[0].stop = true
	return out, nil
}

// there is the text of a helper that wants a list or map not to be nil.
func there(name, params, typ string) helper {
	return helper{name, func() [][]any {
		list := ident(fieldPath, "ErrorList")
		return [][]any{
			{"// ", name, " wants a value that may be empty, but was not left out."},
			{"func ", name, "[", params, "](_ ", ident("context", "Context"), ", _ ", ident(operationPath, "Operation"), ", fldPath *", ident(fieldPath, "Path"), ", obj, _ ", typ, ") ", list, " {"},
			{"if obj != nil {"}, {"return nil"}, {"}"},
			{"return ", list, "{", ident(fieldPath, "Required"), `(fldPath, "")}`},
			{"}"},
		}
	}}
}

var (
	helperList = there("validate_listPresent", "T any", "[]T")
	helperMap  = there("validate_mapPresent", "K comparable, V any", "map[K]V")
)

func markerShapeRules() []rule {
	silent := func(name, doc string) rule {
		return rule{name: kubebuilder + name, scopes: onAny, value: flag, example: "+" + kubebuilder + name, doc: doc,
			plan: func(*planner, *site, codetags.Tag) (plan, error) { return plan{}, nil }}
	}
	return []rule{
		silent("XPreserveUnknownFields", "The value keeps unknown fields; there is nothing to validate."),
		silent("Schemaless", "The value has no schema; there is nothing to validate."),
		silent("XIntOrString", "The value is an integer or a string, which its Go type says too."),
		{name: kubebuilder + "EmbeddedResource", scopes: onAny, value: flag, example: "+" + kubebuilder + "EmbeddedResource",
			doc: "The value is a Kubernetes object: it has apiVersion and kind.", plan: marked(embeddedResource)},
		{name: kubebuilder + "XEmbeddedResource", scopes: onAny, value: flag, example: "+" + kubebuilder + "XEmbeddedResource",
			doc: "The same as EmbeddedResource.", plan: marked(embeddedResource)},
		{name: kubebuilder + "Type", scopes: onAny, value: words, example: "+" + kubebuilder + "Type=string",
			doc: "JSON type of the value: string, integer, number, boolean, array or object. Its Go type must agree.", plan: jsonType},
	}
}

// jsonType checks at generation time what the decoder of JSON will hold values to.
func jsonType(_ *planner, s *site, t codetags.Tag) (plan, error) {
	kinds := []string{"string", "integer", "number", "boolean", "array", "object"}
	name := strings.ToLower(unquoted(t.Value))
	if !slices.Contains(kinds, name) {
		return plan{}, fault{fmt.Sprintf("there is no JSON type %s", t.Value), "want " + strings.Join(kinds, ", ")}
	}
	b := bare(s.typ)
	agrees := map[string]bool{"string": isString(b), "integer": isInt(b), "number": isInt(b) || isFloat(b), "boolean": isBool(b)}
	if fits, basic := agrees[name]; b.Kind == types.Builtin && (!basic || !fits) {
		return plan{}, fault{fmt.Sprintf("a %s is never of JSON type %s", b.Name.Name, name), "remove the tag, or change the Go type"}
	}
	return plan{}, nil
}

func embeddedResource(_ *planner, s *site, t codetags.Tag) (plan, error) {
	if off(t) || bare(s.typ).Name != (types.Name{Package: "k8s.io/apimachinery/pkg/runtime", Name: "RawExtension"}) {
		return plan{}, nil // a Go struct says itself what it has
	}
	return helperCall(helperEmbedded, emission{"FieldValueRequired", "", ".kind"}), nil
}

var helperEmbedded = helper{"validate_embeddedResource", func() [][]any {
	list, path := ident(fieldPath, "ErrorList"), ident(fieldPath, "Path")
	return [][]any{
		{"// validate_embeddedResource wants an object with apiVersion and kind."},
		{"func validate_embeddedResource(_ ", ident("context", "Context"), ", _ ", ident(operationPath, "Operation"), ", fldPath *", path, ", obj, _ *", ident("k8s.io/apimachinery/pkg/runtime", "RawExtension"), ") (errs ", list, ") {"},
		{"if obj == nil || len(obj.Raw) == 0 {"}, {"return nil"}, {"}"},
		{"var typed struct {"}, {"APIVersion, Kind string"}, {"}"},
		{"if err := ", ident("encoding/json", "Unmarshal"), "(obj.Raw, &typed); err != nil {"},
		{"return ", list, "{", ident(fieldPath, "Invalid"), `(fldPath, string(obj.Raw), "must be an object")}`},
		{"}"},
		{`if typed.APIVersion == "" {`}, {"errs = append(errs, ", ident(fieldPath, "Required"), `(fldPath.Child("apiVersion"), ""))`}, {"}"},
		{`if typed.Kind == "" {`}, {"errs = append(errs, ", ident(fieldPath, "Required"), `(fldPath.Child("kind"), ""))`}, {"}"},
		{"return errs"},
		{"}"},
	}
}}
