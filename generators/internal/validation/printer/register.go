package printer

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// registration prints RegisterValidations, which tells a scheme about the functions of the roots.
func (pr *printer) registration() {
	if len(pr.target.Roots) == 0 {
		return
	}
	pr.P("func init() { localSchemeBuilder.Register(RegisterValidations) }")
	pr.P()
	pr.P("// RegisterValidations adds validation functions to the given scheme.")
	pr.P("// Public to allow building arbitrary schemes.")
	pr.P("func RegisterValidations(scheme *", *pr.target.Registry, ") error {")
	list := plan.Ident(plan.FieldPath, "ErrorList")
	for _, r := range pr.target.Roots {
		value := shape.NilableForm(r.Node.Type)
		pr.P("// type ", r.Shown)
		pr.P("scheme.AddValidationFunc(")
		pr.P("(", value, ")(nil),")
		pr.P("func(ctx ", plan.Ident("context", "Context"), ", op ", plan.Ident(plan.OperationPath, "Operation"), ", obj, oldObj interface{}) ", list, " {")
		pr.P("switch op.Request.SubresourcePath() {")
		pr.P("case ", strings.Join(r.Subresources, ", "), ":")
		pr.P("return ", r.Name, "(")
		pr.P("ctx, op, nil, /* fldPath */")
		pr.P("obj.(", value, "),")
		pr.P(plan.Ident(plan.SafePath, "Cast"), "[", value, "](oldObj))")
		pr.P("}")
		pr.P("return ", list, "{")
		pr.P(plan.Ident(plan.FieldPath, "InternalError"), "(nil, ", plan.Ident("fmt", "Errorf"), `("no validation found for %T, subresource: %v", obj, op.Request.SubresourcePath())),`)
		pr.P("}")
		pr.P("})")
	}
	pr.P("return nil")
	pr.P("}")
	pr.P()
}

// fixtureTest prints the test that calls every +k8s:validateFalse.
func (pr *printer) fixtureTest() {
	pr.P("func TestValidation(t *", plan.Ident("testing", "T"), ") {")
	pr.P("localSchemeBuilder.Test(t).ValidateFixtures()")
	pr.P("}")
}
