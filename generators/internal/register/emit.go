package register

import (
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// print prints all of it.
func print(f *emit.File, plan *registration) {
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
	f.P("func init() {")
	f.P("localSchemeBuilder.Register(", strings.Join(functions, ", "), ")")
	f.P("}")
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
