package apiserver

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

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
	s.hidden = p.hidden(versions)
	p.findStored(versions)
	p.checkFields(versions)
	s.hubs = p.hubs(versions)
	p.checkStorageMoves(s)
	p.judgedByStorage(s.hubs)
	p.checkNames(s.hubs)
	p.checkPrefixes(s.hubs)
	giveNames(s.hubs)
	p.strategies(s)
	p.findExpiries(s.hubs)
	p.findOptions(s.hubs)
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

// giveNames gives the variables of each kind, and every function that is printed, a name of its
// own. It is made of version and kind and, where two groups have the same, of the group.
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
