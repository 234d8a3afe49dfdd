package marker

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func stringRules() []rule.Rule {
	var names []string
	for _, f := range schemaFormats {
		names = append(names, f.name)
	}
	return spelled(
		marker{name: "Pattern", rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Words, Example: "+" + rule.Kubebuilder + "Pattern=`^[a-z]+$`",
			Doc: "Regular expression, in Go's syntax, that matches the string somewhere.", Plan: pattern}},
		marker{name: "Enum", rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Words, Example: "+" + rule.Kubebuilder + "Enum=Fiction;Science",
			Doc: "The values that are allowed: strings, numbers or bools.", Plan: enumOfValues}},
		marker{name: "Format", rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Words, Example: "+" + rule.Kubebuilder + "Format=date-time",
			Doc: "Format of a string: " + strings.Join(names, ", ") + ". On numbers it says nothing that the Go type does not.", Plan: schemaFormat}},
	)
}

// printedTypes are structs that are text in JSON, or can be.
var printedTypes = []types.Name{
	{Package: "k8s.io/apimachinery/pkg/api/resource", Name: "Quantity"},
	{Package: "k8s.io/apimachinery/pkg/util/intstr", Name: "IntOrString"},
	{Package: plan.MetaV1, Name: "Duration"},
}

func pattern(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	text := unquoted(t.Value)
	if _, err := regexp.Compile(text); err != nil {
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("%s is no regular expression: %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: ")),
			Cure: "want the syntax of Go's regexp/syntax, which has no look-around and no back-references"}
	}
	h := helperPattern
	switch b := shape.Bare(s.Type); {
	case slices.Contains(printedTypes, b.Name), shape.WritesOwnJSON(b), b.Kind == types.Builtin && readsItself(s.Type):
		h = helperPrintedPattern
	default:
		if message := shape.WantString(s.Type); message != "" {
			return plan.Plan{}, plan.Fault{Message: message, Cure: "remove the tag", Misfit: !shape.IsBytes(b)}
		}
	}
	variableName := p.Fresh(s.Path, "patternFor"+p.VarName(s.Path, ""))
	out := plan.HelperCall(h, plan.Emission{Type: "FieldValueInvalid", Origin: "pattern", Path: ""}, plan.Own(variableName))
	out.Vars = []plan.Variable{{Name: variableName, Init: plan.Construct{Func: plan.Ident("regexp", "MustCompile"), Args: []any{plan.Raw(plan.GoQuote(text))}}}}
	return out, nil
}

func enumOfValues(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	b := shape.Bare(s.Type)
	values := tag.List(t.Value)
	if strings.HasPrefix(t.Value, "[") { // JSON, as kube-openapi has it
		values = tag.List("{" + strings.Trim(t.Value, "[]") + "}")
	}
	if len(values) == 0 {
		return plan.Plan{}, plan.Fault{Message: "it lists no values", Cure: "want it as in +" + t.Name + "=Fiction;Science"}
	}
	if len(values) == 1 && shape.IsString(b) && strings.Contains(t.Value, ",") && !strings.ContainsAny(t.Value, "\"`{[") {
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("%s is one value", t.Value), Cure: "write a semicolon between two: +" + t.Name + "=" + strings.ReplaceAll(t.Value, ",", ";") + "; or quotes around the one"}
	}
	var args []any
	for i, v := range values {
		v = withoutSingle(v)
		values[i] = v
		if slices.Contains(values[:i], v) {
			return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("the value %q is there twice", v), Cure: "remove one"}
		}
		value, err := enumValueFor(s, v)
		if err != nil {
			return plan.Plan{}, err
		}
		args = append(args, value)
	}
	emits := plan.Emission{Type: "FieldValueNotSupported", Origin: "", Path: ""}
	name := p.Fresh(s.Path, "allowedFor"+p.VarName(s.Path, ""))
	typ := model.Pointee(s.Type)
	if shape.IsString(b) {
		c := plan.Call{Func: plan.Lib("Enum"), Args: []any{plan.Own(name), plan.Raw("nil")}, Emits: []plan.Emission{emits}}
		return plan.Plan{Calls: []plan.Call{c}, Vars: []plan.Variable{{Name: name, Init: plan.Construct{Func: plan.SetsNew, TypeArgs: []plan.TypeArg{{Type: typ}}, Args: args}}}}, nil
	}
	return plan.HelperCall(helperOneOf, emits, args...), nil
}

func enumValueFor(s *rule.Site, v string) (any, error) {
	b := shape.Bare(s.Type)
	switch {
	case shape.IsString(b):
		return v, nil
	case shape.IsBool(b) && (v == "true" || v == "false"):
		return plan.Raw(v), nil
	case shape.IsInt(b), shape.IsFloat(b):
		return numberFor(s, v)
	case shape.IsBool(b):
		return nil, plan.Fault{Message: v + " is neither true nor false, as all values here are", Cure: "remove it"}
	case shape.Native(s.Type).Kind == types.Slice:
		return nil, plan.Fault{Message: "it is for single values, and this is a list", Cure: "use +" + rule.Kubebuilder + "items:Enum"}
	}
	return nil, plan.Fault{Message: "it is for strings, numbers and bools, and this is " + shape.AKind(s.Type), Cure: "remove the tag", Misfit: true}
}

// schemaFormats are the formats of OpenAPI that are checked: a Go condition on text that says that
// it is wrong, and what would be right.
var schemaFormats = []struct {
	name  string
	wrong []any
	want  string
}{
	{"byte", []any{"_, err := ", plan.Ident("encoding/base64", "StdEncoding"), ".DecodeString(text); err != nil"}, "must be base64"},
	{"cidr", []any{"_, _, err := ", plan.Ident("net", "ParseCIDR"), "(text); err != nil"}, "must be a network in CIDR notation, like 10.1.0.0/16"},
	{"date", []any{"_, err := ", plan.Ident("time", "Parse"), "(", plan.Ident("time", "DateOnly"), ", text); err != nil"}, "must be a date, like 2006-01-02"},
	{"date-time", []any{"_, err := ", plan.Ident("time", "Parse"), "(", plan.Ident("time", "RFC3339Nano"), ", text); err != nil"}, "must be a date and time as in RFC 3339, like 2006-01-02T15:04:05Z"},
	{"duration", []any{"_, err := ", plan.Ident("time", "ParseDuration"), "(text); err != nil"}, "must be a duration, like 1h30m"},
	{"email", []any{"_, err := ", plan.Ident("net/mail", "ParseAddress"), "(text); err != nil"}, "must be an e-mail address"},
	{"hostname", []any{"len(", plan.Ident("k8s.io/apimachinery/pkg/util/validation", "IsDNS1123Subdomain"), "(", plan.Ident("strings", "ToLower"), "(text))) > 0"}, "must be a host name"},
	{"ipv4", []any{"ip, err := ", plan.Ident("net/netip", "ParseAddr"), "(text); err != nil || !ip.Is4()"}, "must be an IPv4 address, like 10.9.8.7"},
	{"ipv6", []any{"ip, err := ", plan.Ident("net/netip", "ParseAddr"), "(text); err != nil || !ip.Is6()"}, "must be an IPv6 address, like 2001:db8::ffff"},
	{"mac", []any{"_, err := ", plan.Ident("net", "ParseMAC"), "(text); err != nil"}, "must be a hardware address, like 00:00:5e:00:53:01"},
	{"uri", []any{"_, err := ", plan.Ident("net/url", "ParseRequestURI"), "(text); err != nil"}, "must be a URI"},
	{"uuid", []any{"_, err := ", plan.Ident("encoding/hex", "DecodeString"), "(", plan.Ident("strings", "ReplaceAll"), `(text, "-", "")); err != nil || len(text) != 32 && len(text) != 36`}, "must be a UUID, like 123e4567-e89b-12d3-a456-426614174000"},
}

// unchecked are formats that say nothing about text, or nothing about numbers that their type does
// not say.
var unchecked = []string{"password", "int32", "int64", "float", "double", "int-or-string", "quantity"}

func schemaFormat(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	name := unquoted(t.Value)
	if strings.HasPrefix(name, "k8s-") {
		r, _ := p.Rules.Find("k8s:format")
		return r.Plan(p, s, codetags.Tag{Name: t.Name, Value: name})
	}
	b := shape.Bare(s.Type)
	if slices.Contains(unchecked, name) || b.Name == (types.Name{Package: plan.MetaV1, Name: "Time"}) || b.Kind == types.Slice && name == "byte" {
		return plan.Plan{}, nil
	}
	var known []string
	for _, f := range schemaFormats {
		known = append(known, f.name)
		if f.name != name {
			continue
		}
		if message := shape.WantString(s.Type); message != "" {
			return plan.Plan{}, plan.Fault{Message: message, Cure: "remove the tag", Misfit: true}
		}
		origin := "format=" + name
		h := plan.Validator("validate_"+strings.ReplaceAll(name, "-", "_"), "wants text of the format "+name+".", "~string", nil,
			[]any{"text := string(*obj)"}, append(append([]any{"if "}, f.wrong...), " {"), invalid(origin, strconv.Quote(f.want)), []any{"}"})
		return plan.HelperCall(h, plan.Emission{Type: "FieldValueInvalid", Origin: origin, Path: ""}), nil
	}
	known = append(known, unchecked...)
	cure := "want " + strings.Join(known, ", ") + ", or a pattern"
	if near := tag.Nearest(name, known); near != "" {
		cure = "did you mean " + near + "?"
	}
	return plan.Plan{}, plan.Fault{Message: "there is no format " + name, Cure: cure}
}

var (
	regexpParam = []any{"pattern *", emit.Ident{Path: "regexp", Name: "Regexp"}}

	helperPattern = plan.Validator("validate_pattern", "wants text that the pattern matches.", "~string", regexpParam,
		[]any{"if !pattern.MatchString(string(*obj)) {"}, invalid("pattern", sprintf("must match the regular expression %s", "pattern")...), []any{"}"})

	helperPrintedPattern = plan.Validator("validate_printedPattern", "wants a value that the pattern matches as it stands in JSON, if it is text there.", "any", regexpParam,
		[]any{"data, err := ", plan.Ident("encoding/json", "Marshal"), "(obj)"},
		[]any{"text := \"\""},
		[]any{"if err != nil || json.Unmarshal(data, &text) != nil || pattern.MatchString(text) {"}, []any{"return nil"}, []any{"}"},
		[]any{"return ", plan.Ident(plan.FieldPath, "ErrorList"), "{", plan.Ident(plan.FieldPath, "Invalid"), "(fldPath, text, ", plan.Ident("fmt", "Sprintf"), `("must match the regular expression %s", pattern)).WithOrigin("pattern")}`})

	helperOneOf = plan.Validator("validate_oneOf", "wants one of the values.", "comparable", []any{"allowed ...T"},
		[]any{"var shown []string"},
		[]any{"for _, a := range allowed {"}, []any{"if *obj == a {"}, []any{"return nil"}, []any{"}"}, []any{"shown = append(shown, ", plan.Ident("fmt", "Sprint"), "(a))"}, []any{"}"},
		[]any{"if len(shown) > 0 {"}, []any{"return ", plan.Ident(plan.FieldPath, "ErrorList"), "{", plan.Ident(plan.FieldPath, "NotSupported"), "(fldPath, *obj, shown)}"}, []any{"}"})
)
