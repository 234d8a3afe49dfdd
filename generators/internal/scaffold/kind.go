package scaffold

import (
	"errors"
	"fmt"
	gotypes "go/types"
	"path"
	"slices"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// KindConfig says which kind to add.
type KindConfig struct {
	Config
	Kind string
	// Group and Version are those of a package that exists; "" for the only group, and its newest
	// version.
	Group, Version string
	// Cluster has it in no namespace.
	Cluster bool
}

// AddKind adds a kind to a version, with a strategy, a test and a sample.
func AddKind(c KindConfig) (Result, error) {
	if err := checkKind(c.Kind); err != nil {
		return Result{}, err
	}
	p, err := Read(c.Root, c.Known)
	if err != nil {
		return Result{}, err
	}
	server, err := p.server()
	if err != nil {
		return Result{}, err
	}
	api, err := p.version(c.Group, c.Version)
	if err != nil {
		return Result{}, err
	}
	if slices.ContainsFunc(api.Kinds, func(k *model.Kind) bool { return k.Name == c.Kind }) {
		return Result{}, fmt.Errorf("%s has a kind %s already", api.Path, c.Kind)
	}
	k, err := p.newKind(server, api, c.Kind)
	if err != nil {
		return Result{}, err
	}
	k.Cluster = c.Cluster
	plan := newPlan(p.Root)
	if err := planKind(plan, k); err != nil {
		return Result{}, err
	}
	return p.run(c.Config, plan, nil, "go test "+k.Patterns, "go run ./"+k.MainDir)
}

// planKind plans the files of one kind.
func planKind(plan *plan, k kind) error {
	return errors.Join(
		plan.make(k.TypesFile, "types.go", k),
		plan.make(k.StrategyFile, "strategy.go", k),
		plan.make(k.testFile(), "test.go", k),
		plan.make(path.Join("samples", k.Singular+".yaml"), "sample.yaml", k),
	)
}

// version is a version of a group, the newest if none is named.
func (p *Project) version(group, version string) (*model.API, error) {
	versions, err := p.group(group)
	if err != nil {
		return nil, err
	}
	if version == "" {
		return versions[len(versions)-1], nil
	}
	for _, api := range versions {
		if api.Version == version {
			return api, nil
		}
	}
	return nil, fmt.Errorf("there is no version %s of %s; `gen add version %s` makes it", version, versions[0].Group, version)
}

// newKind is a kind in a package that exists.
func (p *Project) newKind(server *model.Package, api *model.API, name string) (kind, error) {
	prog, folder, err := p.program(server)
	if err != nil {
		return kind{}, err
	}
	dir, err := p.rel(api.Dir)
	if err != nil {
		return kind{}, err
	}
	k := newKind(prog, api.Group, api.Version, name, api.Path, dir, folder)
	if pkg := p.set.Package(api.Path); pkg != nil {
		k.KindPackage = pkg.Name
	}
	return k, nil
}

// program is what templates need of a server that exists, and its folder.
func (p *Project) program(server *model.Package) (program, string, error) {
	folder, err := p.rel(server.Dir)
	if err != nil {
		return program{}, "", err
	}
	if folder == "." {
		folder = ""
	}
	patterns, err := Patterns(p.Root)
	if err != nil {
		return program{}, "", err
	}
	prog := newProgram(p.Module, folder, programName(p.Module), patterns)
	prog.Package = server.Name
	prog.MainDir = p.mainOf(server)
	return prog, folder, nil
}

// mainOf is the folder of the program of a server: its own, or that of a command of the module.
func (p *Project) mainOf(server *model.Package) string {
	for _, pkg := range p.set.Packages {
		if pkg.Name != "main" {
			continue
		}
		if pkg == server || slices.ContainsFunc(pkg.Go.Imports(), func(i *gotypes.Package) bool { return i.Path() == server.Path }) {
			if folder, err := p.rel(pkg.Dir); err == nil {
				return folder
			}
		}
	}
	return "cmd/" + programName(p.Module)
}

// run writes the plan and prints the generated files.
func (p *Project) run(c Config, plan *plan, left []string, next ...string) (Result, error) {
	result, err := plan.write()
	if err != nil {
		return Result{}, err
	}
	patterns, err := Patterns(p.Root)
	if err != nil {
		return result, err
	}
	result.Left, result.Next = left, next
	return result, c.Generate(patterns)
}
