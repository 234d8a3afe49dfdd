package json

import (
	"fmt"
	"go/token"
	gotypes "go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// function is a pair of functions for one type, of which one may be left out.
type function struct {
	typ gotypes.Type
	// name is that of an exported pair; "" for one that only this file uses. path is where that was
	// needed first.
	name, path string
	// writes and reads tell which of the two are printed.
	writes, reads bool
	// body says how values are written and read; where that is by the fields of a struct, fields
	// has them.
	body   *node
	fields []*field
}

// planner decides for all packages of a run, one after the other.
type planner struct {
	pass *generators.Pass
	// current is the package that is planned, functions are those for it, in the order in which
	// they were needed.
	current   *model.Package
	functions []*function
}

func newPlanner(pass *generators.Pass) *planner { return &planner{pass: pass} }

// place is what a problem is about: a field of the main module and the way to what is wrong.
type place struct {
	path string
	pos  token.Position
}

func (pl *planner) problem(at place, cure, format string, args ...any) {
	pl.pass.Report.Add(diag.Problem{Pos: at.pos, Path: at.path, Message: fmt.Sprintf(format, args...), Cure: cure})
}

// plan decides what a package gets.
func (pl *planner) plan(pkg *model.Package) []*function {
	pl.current, pl.functions = pkg, nil
	all := pl.mode(pkg) == "package"
	// All exported functions are known before the first body is planned, so that bodies call them.
	var wanted []*function
	at := map[*function]place{}
	want := func(name string, t gotypes.Type, p place) {
		f := &function{typ: t, name: name}
		pl.functions, wanted = append(pl.functions, f), append(wanted, f)
		at[f] = p
	}
	for _, name := range slices.Sorted(maps.Keys(pkg.Types.Types)) {
		t := pkg.Types.Types[name]
		p := place{name, pl.pass.Model.TypePos(t)}
		if w := pl.wish(p, pl.pass.Model.OfType(t)); pl.picks(t, w, all, p) {
			want(name, t.GoType, p)
		}
	}
	kinds := pl.pass.Model.Aliases(pkg)
	for _, a := range pkg.Aliases {
		p := place{a.Name, pl.pass.Model.AliasPos(a)}
		w := pl.wish(p, pl.pass.Model.OfAlias(a))
		isKind := slices.ContainsFunc(kinds, func(k model.Alias) bool { return k.Name == a.Name })
		if w == "true" || w == "" && all && isKind {
			want(a.Name, a.Target.GoType, p)
		}
	}
	for _, f := range wanted {
		pl.fill(f, at[f])
		f.writes, f.reads = true, true
	}
	return pl.functions
}

// picks tells whether a type of the package gets exported functions.
func (pl *planner) picks(t *types.Type, wish string, all bool, at place) bool {
	generic := len(t.TypeParams) > 0
	switch {
	case wish == "true" && generic:
		pl.problem(at, "tag the types that use it: functions for its instances are printed with them",
			"a generic type has no functions of its own")
		return false
	case wish == "true" && t.Kind == types.Interface:
		pl.problem(at, "tag the types behind it", "an interface cannot be read")
		return false
	case wish != "":
		return wish == "true"
	}
	return all && token.IsExported(t.Name.Name) && t.Kind == types.Struct && !generic && !model.IsInstance(t)
}

// mode reads the package tag: "package", "false" or "" for opted-in types only. Serving implies the
// first.
func (pl *planner) mode(pkg *model.Package) string {
	value, found := pl.pass.Model.OfPackage(pkg).Last(enableTag)
	if !found && pl.pass.Model.Serves(pkg) {
		return "package"
	}
	if found && value != "package" && value != "false" && pkg == pl.current {
		pl.problem(place{"", pl.pass.Model.PackagePos(pkg)}, "write +"+enableTag+"=package or =false", "+%s=%s says nothing", enableTag, value)
	}
	return value
}

// wish reads the tag of a type: "true", "false" or "". The block above the doc comment may be the
// package's.
func (pl *planner) wish(at place, markers model.Markers) string {
	value, found := markers.Last(enableTag)
	if value == "package" && filepath.Base(at.pos.Filename) == "doc.go" {
		return ""
	}
	if found && value != "true" && value != "false" {
		pl.problem(at, "write +"+enableTag+"=true or =false", "+%s=%s says nothing on a type", enableTag, value)
		return "false"
	}
	return value
}

// elsewhere returns the import path of the package that has exported functions for a type, "" if
// this file must.
func (pl *planner) elsewhere(t *gotypes.Named) string {
	obj := t.Obj()
	if obj.Pkg() == nil || obj.Pkg().Path() == pl.current.Path || t.TypeArgs().Len() > 0 {
		return ""
	}
	path := obj.Pkg().Path()
	pkg := pl.pass.Model.Package(path)
	if pkg == nil || !pkg.Main {
		return ""
	}
	u := pl.pass.Model.TypeOf(t)
	wish := pl.wish(place{u.Name.Name, pl.pass.Model.TypePos(u)}, pl.pass.Model.OfType(u))
	isStruct := u.Kind == types.Struct && token.IsExported(obj.Name())
	if wish == "true" || wish == "" && isStruct && pl.mode(pkg) == "package" {
		return path
	}
	return ""
}

// machinery are the types of apimachinery whose functions are in runtime/json/apimachinery; a test
// there compares.
var machinery = func() map[types.Name]bool {
	out := map[types.Name]bool{}
	for path, names := range map[string]string{
		"k8s.io/apimachinery/pkg/apis/meta/v1": "Condition Duration FieldsV1 LabelSelector LabelSelectorRequirement ListMeta " +
			"ManagedFieldsEntry MicroTime ObjectMeta OwnerReference Status StatusCause StatusDetails Time",
		"k8s.io/apimachinery/pkg/api/resource": "Quantity",
		"k8s.io/apimachinery/pkg/runtime":      "RawExtension",
		"k8s.io/apimachinery/pkg/util/intstr":  "IntOrString",
	} {
		for _, name := range strings.Fields(names) {
			out[types.Name{Package: path, Name: name}] = true
		}
	}
	return out
}()

func inMachinery(t *gotypes.Named) bool {
	obj := t.Obj()
	return obj.Pkg() != nil && machinery[types.Name{Package: obj.Pkg().Path(), Name: obj.Name()}]
}
