package validation

import (
	"slices"
	"strings"
)

// helper is a function that the library lacks and that a generated file has itself. The text is what File.P takes, a
// line each.
type helper struct {
	name  string
	lines func() [][]any
}

// helperCall is a call of a helper.
func helperCall(h helper, emits emission, args ...any) plan {
	return plan{calls: []call{{fn: own(h.name), args: args, emits: []emission{emits}}}, helpers: []helper{h}}
}

// use takes down helpers that what is printed calls.
func (pr *printer) use(helpers []helper) {
	for _, h := range helpers {
		if !slices.ContainsFunc(pr.helpers, func(o helper) bool { return o.name == h.name }) {
			pr.helpers = append(pr.helpers, h)
		}
	}
}

func (pr *printer) printHelpers() {
	slices.SortFunc(pr.helpers, func(a, b helper) int { return strings.Compare(a.name, b.name) })
	for _, h := range pr.helpers {
		for _, line := range h.lines() {
			pr.P(line...)
		}
		pr.P()
	}
}

// validator is the text of a helper that takes a pointer to values of a type parameter and perhaps more, and whose body
// looks at *obj.
func validator(name, doc, constraint string, more []any, body ...[]any) helper {
	return helper{name, func() [][]any {
		head := []any{
			"func ", name, "[T ", constraint, "](_ ", ident("context", "Context"), ", _ ", ident(operationPath, "Operation"),
			", fldPath *", ident(fieldPath, "Path"), ", obj, _ *T",
		}
		if len(more) > 0 {
			head = append(append(head, ", "), more...)
		}
		out := [][]any{
			{"// ", name, " ", doc},
			append(head, ") ", ident(fieldPath, "ErrorList"), " {"),
			{"if obj == nil {"}, {"return nil"}, {"}"},
		}
		return append(append(out, body...), []any{"return nil"}, []any{"}"})
	}}
}

var helperIP = validator("validate_ip", "wants an IPv4 or IPv6 address; leading zeros are allowed, as in Kubernetes.", "~string", nil,
	[]any{"if ", ident("k8s.io/utils/net", "ParseIPSloppy"), "(string(*obj)) == nil {"},
	[]any{"return ", ident(fieldPath, "ErrorList"), "{", ident(fieldPath, "Invalid"), `(fldPath, *obj, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)").WithOrigin("format=k8s-ip")}`},
	[]any{"}"})
