package conversion

import "github.com/typeplane/typeplane/generators/internal/emit"

// printRegistrations prints RegisterConversions, and the call that makes a scheme builder call it.
func printRegistrations(f *emit.File, list []registration) {
	scope := emit.Ident{Path: scopePackage, Name: "Scope"}
	f.P("func init() {")
	f.P(schemeBuilder, ".Register(RegisterConversions)")
	f.P("}")
	f.P()
	f.P("// RegisterConversions adds conversion functions to the given scheme.")
	f.P("// Public to allow building arbitrary schemes.")
	f.P("func RegisterConversions(s *", emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Scheme"}, ") error {")
	for _, r := range list {
		add := "AddGeneratedConversionFunc"
		if r.byHand {
			add = "AddConversionFunc"
		}
		f.P("if err := s.", add, "((*", r.in, ")(nil), (*", r.out, ")(nil), func(a, b interface{}, scope ", scope, ") error {")
		f.P("return ", r.function, "(a.(*", r.in, "), b.(*", r.out, "), scope)")
		f.P("}); err != nil {")
		f.P("return err")
		f.P("}")
	}
	f.P("return nil")
	f.P("}")
}
