package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/fieldset"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/transcode"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// findFunctions finds out which functions the versions have.
func (p *planner) findFunctions(versions []*version) {
	validated := map[*model.Package]map[string]bool{}
	for _, v := range versions {
		if validated[v.pkg] == nil {
			validated[v.pkg] = validation.Covers(p.pass, v.pkg)
		}
		own := !v.aliased()
		v.functions = functions{
			json:     v.implies(tagJSON, tagJSON),
			shared:   own && p.numbers().Message(v.goType) || !own && v.asks(tagProtobuf, tagMessage),
			append:   !own && v.asks(tagProtobuf, tagMessage),
			deepCopy: !own && v.implies(tagDeepCopy, tagDeepCopy),
			validate: p.validates(v, validated[v.pkg][v.goType.Name.Name]),
		}
		p.warnOfMethods(v)
		if table, ok := transcode.Kind(p.pass, p.numbers(), v.pkg, v.goType.Name.Name); ok {
			v.functions.table = &table
		}
	}
}

// warnOfMethods tells of a version that has protobuf and has not asked for it: another tool has
// written the methods. Its objects are not the documents that were sent.
func (p *planner) warnOfMethods(v *version) {
	if v.functions.shared || v.functions.append || !protobuf.HasMethods(v.pkg, v.goType) || p.model.OfKubernetes(v.pkg, v.goType) {
		return
	}
	p.report.Warn(problemAt(v.pos, v.goType.Name.Name, "it has protobuf methods, so it is stored as protobuf, and not as the JSON that was sent",
		"leave the file out that has them, or say +"+tagProtobuf+"=package if that is meant"))
}

// hidden is what the Go values of versions without protobuf don't tell.
func (p *planner) hidden(versions []*version) openapi.Hidden {
	var packages []*model.Package
	for _, v := range versions {
		if !v.functions.shared && !slices.Contains(packages, v.pkg) {
			packages = append(packages, v.pkg)
		}
	}
	return openapi.HiddenIn(p.pass, packages)
}

// validates says whether a version has a Validate_T: one that is printed, or one that is written by
// hand beside the type.
func (p *planner) validates(v *version, printed bool) bool {
	name := "Validate_" + v.goType.Name.Name
	fn := v.pkg.Types.Functions[name]
	if fn == nil {
		return printed
	}
	shown := "*" + v.goType.Name.Name
	if v.aliased() {
		shown = "*" + v.goType.Name.String()
	}
	form := fmt.Sprintf("func %s(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, oldObj %s) field.ErrorList", name, shown)
	switch {
	case printed:
		p.problem(p.model.FuncPos(fn), name, "the rules in the comments of the type are compiled to a function of this name",
			"call this one ValidateCustom_"+v.goType.Name.Name+" and say +k8s:customValidation above the type, or take it into the strategy's Validate")
	case !validateForm(fn.Underlying.Signature, v.goType):
		p.problem(p.model.FuncPos(fn), name, "the server could not call it: it has another form", "write it as "+form)
	}
	return true
}

// validateForm says whether a function has the form of those that are printed.
func validateForm(s *types.Signature, t *types.Type) bool {
	if s == nil || s.Variadic || len(s.Parameters) != 5 || len(s.Results) != 1 {
		return false
	}
	named := func(t *types.Type, path, name string) bool { return t.Name == types.Name{Package: path, Name: name} }
	in := typesOf(s.Parameters)
	return named(in[0], "context", "Context") && named(in[1], "k8s.io/apimachinery/pkg/api/operation", "Operation") &&
		in[2].Kind == types.Pointer && named(in[2].Elem, fieldPath, "Path") &&
		is(in[3], "T", t) && is(in[4], "T", t) && is(s.Results[0].Type, "field.ErrorList", t)
}

const fieldPath = "k8s.io/apimachinery/pkg/util/validation/field"

// implies says whether a version gets functions that serving needs: unless its type, or its
// package, says otherwise.
func (v *version) implies(packageTag, typeTag string) bool {
	if said := v.typeTag(typeTag); said != "" {
		return said == "true"
	}
	said, _, _ := strings.Cut(v.packageTag(packageTag), ",")
	return said == "package" || said == ""
}

// asks says whether the type of a version, or else its package, asks for functions.
func (v *version) asks(packageTag, typeTag string) bool {
	if v.typeTag(typeTag) != "" {
		return v.typeTag(typeTag) == "true"
	}
	return v.packageTag(packageTag) == "package"
}

func (v *version) packageTag(name string) string {
	value, _ := v.inPackage.Last(name)
	return value
}

// typeTag is "" for what a type does not say. The block above its comment may be the package's.
func (v *version) typeTag(name string) string {
	value, _ := v.markers.Last(name)
	if value == "package" {
		return ""
	}
	return strings.TrimSpace(value)
}

// numbers plans the messages of the run when they are first asked for.
func (p *planner) numbers() *protobuf.Numbers {
	if p.messages == nil {
		p.messages = protobuf.NumbersOf(p.model, p.pass.Packages)
	}
	return p.messages
}

// compareFields is what it is called.
func (v *version) compareFields(server *model.Package) emit.Ident {
	if v.exports {
		return emit.Ident{Path: v.pkg.Path, Name: fieldset.Function(v.goType.Name.Name)}
	}
	return emit.Ident{Path: server.Path, Name: "compareFields_" + v.suffix}
}

// compared are the versions whose function is printed with the server.
func (s *server) compared() (out []fieldset.Kind) {
	for _, h := range s.hubs {
		for _, v := range h.versions {
			if v.publishes && !v.exports {
				out = append(out, fieldset.Kind{Package: v.pkg, GoType: v.goType.GoType, Name: v.gv.WithKind(v.goType.Name.Name), Function: v.compareFields(s.pkg).Name, Pos: v.pos})
			}
		}
	}
	return out
}
