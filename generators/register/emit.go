package register

import (
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/emit"
)

// print prints all of it.
func print(f *emit.File, plan *registration, conversions bool) {
	meta := func(name string) emit.Ident {
		return emit.Ident{Path: "k8s.io/apimachinery/pkg/apis/meta/v1", Name: name}
	}
	runtime := func(name string) emit.Ident { return emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: name} }
	schema := func(name string) emit.Ident {
		return emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime/schema", Name: name}
	}
	f.Reserve("resource", "scheme")
	if !plan.declared["GroupName"] {
		f.P("// GroupName is the API group of the kinds in this package.")
		f.P("const GroupName = ", strconv.Quote(plan.group))
		f.P()
	}
	f.P("// GroupVersion is the group and version of the kinds in this package.")
	f.P("var GroupVersion = ", meta("GroupVersion"), "{Group: GroupName, Version: ", strconv.Quote(plan.version), "}")
	f.P()
	f.P("// SchemeGroupVersion is GroupVersion in the form that schemes take.")
	f.P("var SchemeGroupVersion = ", schema("GroupVersion"), "{Group: GroupName, Version: ", strconv.Quote(plan.version), "}")
	f.P()
	if !plan.declared["Resource"] {
		f.P("// Resource returns the name of a resource together with its group.")
		f.P("func Resource(resource string) ", schema("GroupResource"), " {")
		f.P("return SchemeGroupVersion.WithResource(resource).GroupResource()")
		f.P("}")
		f.P()
	}
	f.P("var (")
	f.P("// SchemeBuilder collects the functions that AddToScheme calls.")
	f.P("SchemeBuilder ", runtime("SchemeBuilder"))
	f.P("// localSchemeBuilder is what generated code of this package registers itself with.")
	f.P("localSchemeBuilder = &SchemeBuilder")
	f.P("// AddToScheme adds the kinds of this package to a scheme.")
	f.P("AddToScheme = localSchemeBuilder.AddToScheme")
	if !plan.declared["Install"] {
		f.P("// Install is AddToScheme.")
		f.P("Install = localSchemeBuilder.AddToScheme")
	}
	f.P(")")
	f.P()
	functions := []string{"addKnownTypes"}
	if plan.defaults {
		functions = append(functions, "RegisterDefaults")
	}
	if conversions {
		functions = append(functions, conversionsName)
	}
	printInit(f, functions...)
	f.P()
	f.P("// addKnownTypes adds the kinds of this package, and those that clients of every group need, to a scheme.")
	f.P("func addKnownTypes(scheme *", runtime("Scheme"), ") error {")
	f.P("scheme.AddKnownTypes(SchemeGroupVersion,")
	for _, name := range plan.kinds {
		f.P("&", name, "{},")
	}
	f.P(")")
	f.P(meta("AddToGroupVersion"), "(scheme, SchemeGroupVersion)")
	f.P("return nil")
	f.P("}")
}

// printInit hands functions to the builder of the package before anybody calls AddToScheme.
func printInit(f *emit.File, functions ...string) {
	f.P("func init() {")
	f.P("localSchemeBuilder.Register(", strings.Join(functions, ", "), ")")
	f.P("}")
}

// printConversions prints the function that makes the conversions of the package known to a scheme, and, where the
// rest is written by hand, hands it to the builder.
func printConversions(f *emit.File, conversions []convert, alone bool) {
	scope := emit.Ident{Path: "k8s.io/apimachinery/pkg/conversion", Name: "Scope"}
	f.Reserve("s", "scope", "a", "b", "err")
	f.P()
	if alone {
		printInit(f, conversionsName)
		f.P()
	}
	f.P("// ", conversionsName, " adds the conversions of this package to a scheme. It is public for those who build their own.")
	f.P("func ", conversionsName, "(s *", emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Scheme"}, ") error {")
	for _, c := range conversions {
		add := "AddGeneratedConversionFunc"
		if c.byHand {
			add = "AddConversionFunc"
		}
		f.P("if err := s.", add, "((*", c.in, ")(nil), (*", c.out, ")(nil), func(a, b any, scope ", scope, ") error {")
		f.P("return ", c.name, "(a.(*", c.in, "), b.(*", c.out, "), scope)")
		f.P("}); err != nil {")
		f.P("return err")
		f.P("}")
	}
	f.P("return nil")
	f.P("}")
}
