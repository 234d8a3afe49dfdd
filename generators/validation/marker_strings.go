package validation

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

func markerStringRules() []rule {
	var names []string
	for _, f := range schemaFormats {
		names = append(names, f.name)
	}
	return spelled(
		marker{name: "Pattern", rule: rule{scopes: onAny, value: words, example: "+" + kubebuilder + "Pattern=`^[a-z]+$`",
			doc: "Regular expression, in Go's syntax, that matches the string somewhere.", plan: (*planner).pattern}},
		marker{name: "Enum", rule: rule{scopes: onAny, value: words, example: "+" + kubebuilder + "Enum=Fiction;Science",
			doc: "The values that are allowed: strings, numbers or bools.", plan: (*planner).enumOfValues}},
		marker{name: "Format", rule: rule{scopes: onAny, value: words, example: "+" + kubebuilder + "Format=date-time",
			doc: "Format of a string: " + strings.Join(names, ", ") + ". On numbers it says nothing that the Go type does not.", plan: schemaFormat}},
	)
}

// printedTypes are structs that are text in JSON, or can be.
var printedTypes = []types.Name{
	{Package: "k8s.io/apimachinery/pkg/api/resource", Name: "Quantity"},
	{Package: "k8s.io/apimachinery/pkg/util/intstr", Name: "IntOrString"},
	{Package: metaV1, Name: "Duration"},
}

func (p *planner) pattern(s *site, t codetags.Tag) (plan, error) {
	text := unquoted(t.Value)
	if _, err := regexp.Compile(text); err != nil {
		return plan{}, fault{fmt.Sprintf("%s is no regular expression: %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: ")),
			"want the syntax of Go's regexp/syntax, which has no look-around and no back-references"}
	}
	h := helperPattern
	switch name := bare(s.typ).Name; {
	case slices.Contains(printedTypes, name):
		h = helperPrintedPattern
	default:
		if message := wantString(s.typ); message != "" {
			return plan{}, fault{message, "remove the tag"}
		}
	}
	variableName := p.fresh("patternFor" + p.varName(s.path, ""))
	out := helperCall(h, emission{"FieldValueInvalid", "pattern", ""}, own(variableName))
	out.vars = []variable{{variableName, construct{fn: ident("regexp", "MustCompile"), args: []any{raw(goQuote(text))}}}}
	return out, nil
}

// fresh returns the name of a package variable that no other one has.
func (p *planner) fresh(name string) string {
	p.taken[name]++
	if n := p.taken[name]; n > 1 {
		return fmt.Sprintf("%s_%d", name, n)
	}
	return name
}

// goQuote quotes a string as people would: with backquotes if it has backslashes.
func goQuote(s string) string {
	if strings.ContainsAny(s, "\\\"") && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func (p *planner) enumOfValues(s *site, t codetags.Tag) (plan, error) {
	b := bare(s.typ)
	values := tag.List(t.Value)
	if strings.HasPrefix(t.Value, "[") { // JSON, as kube-openapi has it
		values = tag.List("{" + strings.Trim(t.Value, "[]") + "}")
	}
	if len(values) == 0 {
		return plan{}, fault{"it lists no values", "want it as in +" + t.Name + "=Fiction;Science"}
	}
	if len(values) == 1 && isString(b) && strings.Contains(t.Value, ",") && !strings.ContainsAny(t.Value, "\"`{[") {
		return plan{}, fault{fmt.Sprintf("%s is one value", t.Value), "write a semicolon between two: +" + t.Name + "=" + strings.ReplaceAll(t.Value, ",", ";") + "; or quotes around the one"}
	}
	var args []any
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return plan{}, fault{fmt.Sprintf("the value %q is there twice", v), "remove one"}
		}
		value, err := enumValueFor(s, v)
		if err != nil {
			return plan{}, err
		}
		args = append(args, value)
	}
	emits := emission{"FieldValueNotSupported", "", ""}
	name := p.fresh("allowedFor" + p.varName(s.path, ""))
	typ := model.Pointee(s.typ)
	if isString(b) {
		c := call{fn: lib("Enum"), args: []any{own(name), raw("nil")}, emits: []emission{emits}}
		return plan{calls: []call{c}, vars: []variable{{name, construct{fn: setsNew, typeArgs: []typeArg{{t: typ}}, args: args}}}}, nil
	}
	return helperCall(helperOneOf, emits, args...), nil
}

func enumValueFor(s *site, v string) (any, error) {
	b := bare(s.typ)
	switch {
	case isString(b):
		return v, nil
	case isBool(b) && (v == "true" || v == "false"):
		return raw(v), nil
	case isInt(b), isFloat(b):
		return numberFor(s, v)
	case isBool(b):
		return nil, fault{v + " is neither true nor false, as all values here are", "remove it"}
	case native(s.typ).Kind == types.Slice:
		return nil, fault{"it is for single values, and this is a list", "use +" + kubebuilder + "items:Enum"}
	}
	return nil, fault{"it is for strings, numbers and bools, and this is " + aKind(s.typ), "remove the tag"}
}

// schemaFormats are the formats of OpenAPI that are checked: a Go condition on text that says that it is wrong, and what
// would be right.
var schemaFormats = []struct {
	name  string
	wrong []any
	want  string
}{
	{"byte", []any{"_, err := ", ident("encoding/base64", "StdEncoding"), ".DecodeString(text); err != nil"}, "must be base64"},
	{"cidr", []any{"_, _, err := ", ident("net", "ParseCIDR"), "(text); err != nil"}, "must be a network in CIDR notation, like 10.1.0.0/16"},
	{"date", []any{"_, err := ", ident("time", "Parse"), "(", ident("time", "DateOnly"), ", text); err != nil"}, "must be a date, like 2006-01-02"},
	{"date-time", []any{"_, err := ", ident("time", "Parse"), "(", ident("time", "RFC3339Nano"), ", text); err != nil"}, "must be a date and time as in RFC 3339, like 2006-01-02T15:04:05Z"},
	{"duration", []any{"_, err := ", ident("time", "ParseDuration"), "(text); err != nil"}, "must be a duration, like 1h30m"},
	{"email", []any{"_, err := ", ident("net/mail", "ParseAddress"), "(text); err != nil"}, "must be an e-mail address"},
	{"hostname", []any{"len(", ident("k8s.io/apimachinery/pkg/util/validation", "IsDNS1123Subdomain"), "(", ident("strings", "ToLower"), "(text))) > 0"}, "must be a host name"},
	{"ipv4", []any{"ip, err := ", ident("net/netip", "ParseAddr"), "(text); err != nil || !ip.Is4()"}, "must be an IPv4 address, like 10.9.8.7"},
	{"ipv6", []any{"ip, err := ", ident("net/netip", "ParseAddr"), "(text); err != nil || !ip.Is6()"}, "must be an IPv6 address, like 2001:db8::ffff"},
	{"mac", []any{"_, err := ", ident("net", "ParseMAC"), "(text); err != nil"}, "must be a hardware address, like 00:00:5e:00:53:01"},
	{"uri", []any{"_, err := ", ident("net/url", "ParseRequestURI"), "(text); err != nil"}, "must be a URI"},
	{"uuid", []any{"_, err := ", ident("encoding/hex", "DecodeString"), "(", ident("strings", "ReplaceAll"), `(text, "-", "")); err != nil || len(text) != 32 && len(text) != 36`}, "must be a UUID, like 123e4567-e89b-12d3-a456-426614174000"},
}

// unchecked are formats that say nothing about text, or about numbers nothing that their type does not.
var unchecked = []string{"password", "int32", "int64", "float", "double", "int-or-string", "quantity"}

func schemaFormat(p *planner, s *site, t codetags.Tag) (plan, error) {
	name := unquoted(t.Value)
	if strings.HasPrefix(name, "k8s-") {
		r, _ := p.rules.find("k8s:format")
		return r.plan(p, s, codetags.Tag{Name: t.Name, Value: name})
	}
	b := bare(s.typ)
	if slices.Contains(unchecked, name) || b.Name == (types.Name{Package: metaV1, Name: "Time"}) || b.Kind == types.Slice && name == "byte" {
		return plan{}, nil
	}
	var known []string
	for _, f := range schemaFormats {
		known = append(known, f.name)
		if f.name != name {
			continue
		}
		if message := wantString(s.typ); message != "" {
			return plan{}, fault{message, "remove the tag"}
		}
		origin := "format=" + name
		h := validator("validate_"+strings.ReplaceAll(name, "-", "_"), "wants text of the format "+name+".", "~string", nil,
			[]any{"text := string(*obj)"}, append(append([]any{"if "}, f.wrong...), " {"), invalid(origin, strconv.Quote(f.want)), []any{"}"})
		return helperCall(h, emission{"FieldValueInvalid", origin, ""}), nil
	}
	known = append(known, unchecked...)
	cure := "want " + strings.Join(known, ", ") + ", or a pattern"
	if near := tag.Nearest(name, known); near != "" {
		cure = "did you mean " + near + "?"
	}
	return plan{}, fault{"there is no format " + name, cure}
}

var (
	regexpParam = []any{"pattern *", emit.Ident{Path: "regexp", Name: "Regexp"}}

	helperPattern = validator("validate_pattern", "wants text that the pattern matches.", "~string", regexpParam,
		[]any{"if !pattern.MatchString(string(*obj)) {"}, invalid("pattern", sprintf("must match the regular expression %s", "pattern")...), []any{"}"})

	helperPrintedPattern = validator("validate_printedPattern", "wants a value that the pattern matches as it stands in JSON, if it is text there.", "any", regexpParam,
		[]any{"data, err := ", ident("encoding/json", "Marshal"), "(obj)"},
		[]any{"text := \"\""},
		[]any{"if err != nil || json.Unmarshal(data, &text) != nil || pattern.MatchString(text) {"}, []any{"return nil"}, []any{"}"},
		[]any{"return ", ident(fieldPath, "ErrorList"), "{", ident(fieldPath, "Invalid"), "(fldPath, text, ", ident("fmt", "Sprintf"), `("must match the regular expression %s", pattern)).WithOrigin("pattern")}`})

	helperOneOf = validator("validate_oneOf", "wants one of the values.", "comparable", []any{"allowed ...T"},
		[]any{"var shown []string"},
		[]any{"for _, a := range allowed {"}, []any{"if *obj == a {"}, []any{"return nil"}, []any{"}"}, []any{"shown = append(shown, ", ident("fmt", "Sprint"), "(a))"}, []any{"}"},
		[]any{"if len(shown) > 0 {"}, []any{"return ", ident(fieldPath, "ErrorList"), "{", ident(fieldPath, "NotSupported"), "(fldPath, *obj, shown)}"}, []any{"}"})
)
