package validation

import (
	"strconv"
	"strings"
)

// registration prints RegisterValidations, which tells a scheme about the functions of the roots.
func (pr *printer) registration() {
	if len(pr.target.roots) == 0 {
		return
	}
	pr.P("func init() { localSchemeBuilder.Register(RegisterValidations) }")
	pr.P()
	pr.P("// RegisterValidations adds validation functions to the given scheme.")
	pr.P("// Public to allow building arbitrary schemes.")
	pr.P("func RegisterValidations(scheme *", *pr.target.registry, ") error {")
	list := ident(fieldPath, "ErrorList")
	for _, r := range pr.target.roots {
		value := nilableForm(r.node.typ)
		pr.P("// type ", r.shown)
		pr.P("scheme.AddValidationFunc(")
		pr.P("(", value, ")(nil),")
		pr.P("func(ctx ", ident("context", "Context"), ", op ", ident(operationPath, "Operation"), ", obj, oldObj interface{}) ", list, " {")
		pr.P("switch op.Request.SubresourcePath() {")
		pr.P("case ", strings.Join(r.subresources, ", "), ":")
		pr.P("return ", r.name, "(")
		pr.P("ctx, op, nil, /* fldPath */")
		pr.P("obj.(", value, "),")
		pr.P(ident(safePath, "Cast"), "[", value, "](oldObj))")
		pr.P("}")
		pr.P("return ", list, "{")
		pr.P(ident(fieldPath, "InternalError"), "(nil, ", ident("fmt", "Errorf"), `("no validation found for %T, subresource: %v", obj, op.Request.SubresourcePath())),`)
		pr.P("}")
		pr.P("})")
	}
	pr.P("return nil")
	pr.P("}")
	pr.P()
}

// quoted are the subresources of a root as the cases of a switch, sorted.
func quoted(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, strconv.Quote(p))
	}
	return out
}

// fixtureTest prints the test that calls every +k8s:validateFalse.
func (pr *printer) fixtureTest() {
	pr.P("func TestValidation(t *", ident("testing", "T"), ") {")
	pr.P("localSchemeBuilder.Test(t).ValidateFixtures()")
	pr.P("}")
}
