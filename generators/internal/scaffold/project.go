package scaffold

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Project is what a module has.
type Project struct {
	Root   string // the folder of go.mod
	Module string
	// APIs are the versions of its groups that have kinds, Servers the packages that servers are
	// made in.
	APIs    []*model.API
	Servers []*model.Package

	model *model.Model
	set   *load.Set
}

// Read reads the module in a folder.
func Read(root string, tags *tag.Table) (*Project, error) {
	path, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, errors.New("there is no go.mod here: begin with `gen init example.com/shop`")
	}
	patterns, err := Patterns(root)
	if err != nil {
		return nil, err
	}
	set, err := load.Load(load.Config{Dir: root, Patterns: patterns, Tags: tags, Report: &diag.Report{}})
	if err != nil {
		return nil, err
	}
	p := &Project{Root: root, Module: path, model: model.New(set), set: set}
	for _, api := range p.model.APIs(set.Packages) {
		if len(api.Kinds) > 0 {
			p.APIs = append(p.APIs, api)
		}
	}
	for _, pkg := range set.Packages {
		if p.model.OfPackage(pkg).Has(model.TagServer) {
			p.Servers = append(p.Servers, pkg)
		}
	}
	return p, nil
}

// server is the package that the server of the module is made in.
func (p *Project) server() (*model.Package, error) {
	switch len(p.Servers) {
	case 1:
		return p.Servers[0], nil
	case 0:
		return nil, fmt.Errorf("no package has +%s: `gen init` writes one", model.TagServer)
	}
	var paths []string
	for _, pkg := range p.Servers {
		paths = append(paths, pkg.Path)
	}
	return nil, fmt.Errorf("there are several servers, in %s: run the command in the module of one", strings.Join(paths, ", "))
}

// group are the versions of a group, the oldest first. "" is the only group that there is.
func (p *Project) group(name string) ([]*model.API, error) {
	names := map[string]bool{}
	for _, api := range p.APIs {
		names[api.Group] = true
	}
	if name == "" {
		if len(names) != 1 {
			return nil, fmt.Errorf("there are %d groups with kinds (%s): name one with --group", len(names), strings.Join(slices.Sorted(maps.Keys(names)), ", "))
		}
		name = slices.Sorted(maps.Keys(names))[0]
	}
	var out []*model.API
	for _, api := range p.APIs {
		if api.Group == name {
			out = append(out, api)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no group %s with kinds; there is %s", name, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	slices.SortFunc(out, func(a, b *model.API) int { return version.CompareKubeAwareVersionStrings(a.Version, b.Version) })
	return out, nil
}

// find returns the version of a kind that objects are stored in, which strategies are written for.
// It is the one that says so, else the best one.
func (p *Project) find(kind string) (*model.API, *model.Kind, error) {
	var api *model.API
	var found *model.Kind
	var all []string
	for _, a := range p.APIs {
		for _, k := range a.Kinds {
			all = append(all, k.Name)
			if k.Name != kind || !k.Listed {
				continue
			}
			if found == nil || k.Stored || !found.Stored && version.CompareKubeAwareVersionStrings(api.Version, a.Version) < 0 {
				api, found = a, k
			}
		}
	}
	if found == nil {
		slices.Sort(all)
		return nil, nil, fmt.Errorf("there is no kind %s; there is %s", kind, strings.Join(slices.Compact(all), ", "))
	}
	return api, found, nil
}

// rel is a path relative to the root, with slashes.
func (p *Project) rel(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Root, path)
	}
	out, err := filepath.Rel(p.Root, path)
	return filepath.ToSlash(out), err
}
