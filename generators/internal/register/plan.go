package register

import (
	"fmt"
	"go/constant"
	"go/token"
	gotypes "go/types"
	"path"
	"slices"
	"sort"

	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"k8s.io/gengo/v2/types"
)

const (
	fileName  = "zz_generated.register.go"
	generator = "register-gen"

	registerTag  = "k8s:register-gen"
	groupTag     = "groupName"
	versionTag   = "versionName"
	defaulterTag = "k8s:defaulter-gen"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "register",
		Doc:  "GroupVersion and AddToScheme for clients and controllers (zz_generated.register.go)",
		Tags: []tag.Definition{
			{Name: registerTag, Scope: tag.Package, Value: tag.Name,
				Doc: "Generates the registration of the package's kinds in apimachinery's Scheme, like +k8s:register-gen=true or =package. false turns it off where +groupName asks for it, as for a package that is only served by this repository's Scheme."},
			{Name: groupTag, Scope: tag.Package, Value: tag.String, Doc: "The API group of the package."},
			{Name: versionTag, Scope: tag.Package, Value: tag.String,
				Doc: "The API version of the package; without it, the last element of the import path."},
		},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, pkg := range pass.Packages {
		if plan := decide(pass, pkg); plan != nil {
			print(pass.File(pkg, fileName, generator), plan)
		}
	}
}

// Covers says whether the package gets a registration, and with it the variable localSchemeBuilder.
func Covers(m *model.Model, pkg *model.Package) bool { return wanted(m, pkg) && hasObjects(m, pkg) }

// wanted tells whether the package asks for registration and does not register itself.
func wanted(m *model.Model, pkg *model.Package) bool {
	_, ok := asksFor(m, pkg)
	return ok && len(kindNames(m, pkg, kinds(pkg))) > 0 && !pkg.HasFile("register.go") && handWritten(pkg) == nil
}

// hasObjects tells whether there is anything to register. The name of a group alone may stand for
// other tools in a package whose types nobody serves. A package with the tag of this plug-in is
// told what is missing.
func hasObjects(m *model.Model, pkg *model.Package) bool {
	asked, _ := asksFor(m, pkg)
	return asked || len(m.Aliases(pkg)) > 0 || slices.ContainsFunc(kinds(pkg), func(t *types.Type) bool { return m.IsObject(t) })
}

// handWritten is a declaration by which a package registers itself, nil if there is none.
func handWritten(pkg *model.Package) gotypes.Object {
	for _, name := range core {
		if obj := pkg.Go.Scope().Lookup(name); obj != nil {
			return obj
		}
	}
	return nil
}

// registration is what is printed for a package.
type registration struct {
	group, version string
	kinds          []string        // names of types and aliases of the package, sorted
	declared       map[string]bool // names that the package declares by hand, which are not printed
	defaults       bool            // the package has, or will have, RegisterDefaults
}

// core are the names that registration is made of: a package that declares one of them registers
// itself.
var core = []string{"SchemeBuilder", "localSchemeBuilder", "AddToScheme", "addKnownTypes", "SchemeGroupVersion", "GroupVersion"}

// decide returns nil for a package without registration.
func decide(pass *generators.Pass, pkg *model.Package) *registration {
	m := pass.Model
	if !Covers(m, pkg) {
		checkHandWritten(pass, pkg)
		if wanted(m, pkg) {
			checkObjects(pass, kinds(pkg), pass.Report.Warn)
		}
		return nil
	}
	types := kinds(pkg)
	plan := &registration{kinds: kindNames(m, pkg, types), declared: map[string]bool{}}
	plan.group, plan.version = groupVersion(m, pkg)
	plan.defaults = hasDefaults(pass, pkg)
	for _, name := range []string{"GroupName", "Resource", "Install"} {
		plan.declared[name] = pkg.Go.Scope().Lookup(name) != nil
	}
	checkGroup(pass, pkg, plan.group)
	checkObjects(pass, types, pass.Report.Add)
	return plan
}

// checkHandWritten reports a tag that asks for what the package has declared already.
func checkHandWritten(pass *generators.Pass, pkg *model.Package) {
	obj := handWritten(pkg)
	asked, ok := asksFor(pass.Model, pkg)
	if obj == nil || !asked || !ok || pkg.HasFile("register.go") || len(kindNames(pass.Model, pkg, kinds(pkg))) == 0 {
		return
	}
	pass.Report.Add(diag.Problem{
		Pos: pass.Model.ObjectPos(obj), Path: obj.Name(),
		Message: fmt.Sprintf("is declared by hand, but +%s asks to generate it", registerTag),
		Cure:    "take one of the two away",
	})
}

// hasDefaults says whether the package has the function RegisterDefaults, or will have it.
func hasDefaults(pass *generators.Pass, pkg *model.Package) bool {
	if pkg.Go.Scope().Lookup("RegisterDefaults") != nil {
		return true
	}
	value, asked := pass.Model.OfPackage(pkg).Last(defaulterTag)
	return (asked || pass.Model.Serves(pkg)) && value != "false" && len(defaulter.Covers(pass.Model, pkg)) > 0
}

// checkGroup reports a hand-written GroupName that contradicts the tag.
func checkGroup(pass *generators.Pass, pkg *model.Package, group string) {
	c, ok := pkg.Go.Scope().Lookup("GroupName").(*gotypes.Const)
	if ok && c.Val().Kind() == constant.String && constant.StringVal(c.Val()) != group {
		pass.Report.Add(diag.Problem{
			Pos: pass.Model.ObjectPos(c), Path: "GroupName",
			Message: fmt.Sprintf("is %s, but the group of the package is %q", c.Val(), group),
			Cure:    "make the constant and +" + groupTag + " agree",
		})
	}
}

// asksFor reads the package tags: asked tells that the tag of this plug-in is there, ok that
// registration is wanted. Every word but false asks for it, as it does for register-gen.
func asksFor(m *model.Model, pkg *model.Package) (asked, ok bool) {
	value, asked := m.OfPackage(pkg).Last(registerTag)
	if asked {
		return true, value != "false"
	}
	return false, m.OfPackage(pkg).Has(groupTag)
}

func groupVersion(m *model.Model, pkg *model.Package) (group, version string) {
	group, version, said := m.GroupVersion(pkg)
	if !said {
		group = path.Base(path.Dir(pkg.Path))
	}
	return group, version
}

// kinds returns the exported types that embed TypeMeta; none if they carry no json tags, as those
// of a hub.
func kinds(pkg *model.Package) []*types.Type {
	var out []*types.Type
	for _, t := range pkg.Types.Types {
		i := slices.IndexFunc(t.Members, func(m types.Member) bool { return m.Name == "TypeMeta" && m.Embedded })
		if i < 0 || t.Kind != types.Struct || model.IsInstance(t) || !token.IsExported(t.Name.Name) {
			continue
		}
		if !model.JSONOf(t.Members[i]).Said {
			return nil
		}
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name.Name < out[j].Name.Name })
	return out
}

// kindNames are the names of all that is registered: types, and the aliases that are kinds or lists
// of such.
func kindNames(m *model.Model, pkg *model.Package, own []*types.Type) []string {
	var out []string
	for _, t := range own {
		out = append(out, t.Name.Name)
	}
	for _, a := range m.Aliases(pkg) {
		out = append(out, a.Name)
	}
	sort.Strings(out)
	return out
}

// checkObjects reports kinds that would not compile in the list of kinds: those without
// DeepCopyObject.
func checkObjects(pass *generators.Pass, kinds []*types.Type, report func(diag.Problem)) {
	for _, t := range kinds {
		if !pass.Model.IsObject(t) {
			report(diag.Problem{
				Pos: pass.Model.TypePos(t), Path: t.Name.Name,
				Message: "embeds TypeMeta but has no DeepCopyObject method, so it cannot be registered",
				Cure:    "add +k8s:deepcopy-gen:interfaces=" + model.ObjectName,
			})
		}
	}
}
