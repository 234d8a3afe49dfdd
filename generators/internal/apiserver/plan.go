package apiserver

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubeversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// server is one zz_generated.apiserver.go: a program, or a part that programs can serve.
type server struct {
	pkg  *model.Package
	name string // what the server is called: its folder
	part bool   // it is no program: the package is not main
	// constructor is the function that returns the server or the part.
	constructor string
	hubs []*hub // by group and kind
	// openAPI are the packages that publish schemas, by group and version.
	openAPI []published
	// documentDefaults are those of the versions without protobuf: see runtime.Version.
	documentDefaults map[string]string
}

// hub is one kind: a Go type that the server works with, and the versions that convert to and from
// it.
type hub struct {
	groupKind schema.GroupKind
	goType    *types.Type
	versions  []*version // best first
	storage   *version
	names     names
	status    bool      // it has a status subresource
	strategy  *strategy // nil without one
	authored  []authored
	// defaultsItself and validatesItself say that it has methods of controller-runtime's webhooks.
	defaultsItself, validatesItself bool
	// local is what its variables begin with.
	local string
}

// version is a kind in one API version.
type version struct {
	// pkg declares the kind, at pos. goType belongs to another package if it is an alias.
	pkg    *model.Package
	goType *types.Type
	// markers are those of the kind, inPackage those of pkg.
	markers, inPackage model.Markers
	pos                token.Position
	gv                 schema.GroupVersion
	served             bool
	// hub is the type that the version converts to, in this way; goType itself if it names no
	// other. conversions are the functions.
	hub         *types.Type
	by          way
	conversions conversions
	// defaults says that the package has a SetObjectDefaults function for the type.
	defaults bool
	// ownRulesOnly says that the rules of the storage version do not judge what is written through
	// this one.
	ownRulesOnly bool
	// deprecated is what clients of the version are warned of; "": nothing.
	deprecated string
	// functions are those beside its type.
	functions functions
	fields    []selectable
	// readable says that the fields can be read from an encoded object.
	readable bool
	scale    *scale // nil without a scale subresource
	// publishes says that there are schemas for it, exports that its package has the functions that
	// compare fields.
	publishes, exports bool
	// suffix ends the names of the functions that are printed for the version, like "v1_Book".
	suffix string
	// columns are what a table shows.
	columns []column
}

// way is how a version converts.
type way int

const (
	conversionByFunctions way = iota
	conversionByMethods       // ConvertTo and ConvertFrom
	conversionByJSON          // as versions of a CustomResourceDefinition without a webhook do
)

// published is a package whose zz_generated.openapi.go goes into the server's OpenAPI documents.
type published struct {
	gv  schema.GroupVersion
	pkg *model.Package
}

// planner works out one server.
type planner struct {
	model       *model.Model
	report      *diag.Report
	conversions map[*types.Type]conversions // by version
	pass        *generators.Pass
	messages    *protobuf.Numbers // nil until it is asked for
	rules       *validation.Rules // likewise

	// api are the packages of the versions of the server that is planned, groupVersions what those
	// are.
	api           []*model.Package
	groupVersions map[*model.Package]schema.GroupVersion
	// apart are kinds whose versions have no hub in common, which is reported: what follows from it
	// is not.
	apart map[schema.GroupKind]bool
	// bodies are the structs that subresources take. They are no kinds, although they have
	// metadata.
	bodies map[*types.Type]bool
}

// plan decides what each server of the run consists of. A server with a problem is reported and
// planned as far as possible, so that one run finds all problems.
func plan(pass *generators.Pass) []*server {
	p := &planner{model: pass.Model, report: pass.Report, pass: pass}
	p.findConversions(pass.Packages)
	var out []*server
	for _, pkg := range pass.Packages {
		if !p.model.OfPackage(pkg).Has(model.TagServer) {
			continue
		}
		if api, ok := p.apiPackages(pkg, pass.Packages); ok {
			out = append(out, p.server(pkg, api))
		}
	}
	return out
}

func (p *planner) server(main *model.Package, api []*model.Package) *server {
	s := &server{pkg: main, name: serverName(main.Path), part: main.Name != "main", constructor: constructor(main)}
	p.api, p.groupVersions = api, map[*model.Package]schema.GroupVersion{}
	p.apart = map[schema.GroupKind]bool{}
	p.bodies = bodiesOf(main)
	var versions []*version
	for _, pkg := range api {
		found := p.versions(pkg)
		versions = append(versions, found...)
		if len(found) > 0 && openapi.Publishes(p.model, pkg) {
			s.openAPI = append(s.openAPI, published{gv: found[0].gv, pkg: pkg})
		}
	}
	slices.SortFunc(s.openAPI, func(a, b published) int { return compareGroupVersions(a.gv, b.gv) })
	if len(versions) == 0 {
		p.problem(p.model.PackagePos(main), main.Path, "there are no kinds in the folders below this package",
			"write structs that embed metav1.TypeMeta and metav1.ObjectMeta, with their lists, into a package with +groupName=, and name it to gen too, as ./...")
	}
	p.findFunctions(versions)
	s.documentDefaults = p.documentDefaults(versions)
	p.findStored(versions)
	p.checkFields(versions)
	s.hubs = p.hubs(versions)
	p.checkStorageMoves(s)
	p.judgedByStorage(s.hubs)
	p.checkNames(s.hubs)
	p.checkPrefixes(s.hubs)
	giveNames(s.hubs)
	p.strategies(s)
	p.findWebhooks(s.hubs)
	return s
}

// constructor is what the function is called that returns a server. A part of servers has API, by
// which programs ask for it. A package that writes API itself, since there is more to its kinds,
// calls newAPI there.
func constructor(pkg *model.Package) string {
	switch {
	case pkg.Name == "main":
		return "newServer"
	case pkg.Types.Functions["API"] != nil:
		return "newAPI"
	}
	return "API"
}

// serverName is the last element of an import path that is not a major version.
func serverName(importPath string) string {
	if prefix, _, ok := module.SplitPathVersion(importPath); ok {
		importPath = prefix
	}
	return path.Base(importPath)
}

// compareGroupVersions orders groups by name and their versions as Kubernetes does, the best first.
func compareGroupVersions(a, b schema.GroupVersion) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), kubeversion.CompareKubeAwareVersionStrings(b.Version, a.Version))
}

// giveNames gives the variables of each kind, and every function that is printed, a name of its
// own: by version and kind and, where two groups have the same, by group.
func giveNames(hubs []*hub) {
	variables, functions := map[string]bool{}, map[string]bool{}
	for _, h := range hubs {
		kind := h.groupKind.Kind
		first, size := utf8.DecodeRuneInString(kind)
		h.local = unused(variables, string(unicode.ToLower(first))+kind[size:], func(group string) string { return group + kind }, h.groupKind.Group)
		for _, v := range h.versions {
			name := v.gv.Version + "_" + v.goType.Name.Name
			v.suffix = unused(functions, name, func(group string) string { return group + "_" + name }, v.gv.Group)
		}
	}
}

// unused returns a name that is not taken, and takes it: this one, or one with the first labels of
// a group in it.
func unused(taken map[string]bool, name string, in func(group string) string, group string) string {
	labels := strings.Split(strings.ReplaceAll(cmp.Or(group, "core"), "-", ""), ".")
	for i := 1; taken[name] && i <= len(labels); i++ {
		name = in(strings.Join(labels[:i], ""))
	}
	taken[name] = true
	return name
}

func (p *planner) problem(pos token.Position, path, message, cure string) {
	p.report.Add(problemAt(pos, path, message, cure))
}

func problemAt(pos token.Position, path, message, cure string) diag.Problem {
	return diag.Problem{Pos: pos, Path: path, Message: message, Cure: cure}
}
