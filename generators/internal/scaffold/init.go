package scaffold

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Config is what all commands need.
type Config struct {
	Root  string     // the folder of the module
	Known *tag.Table // the tags of all plug-ins
	// Generate runs gen over patterns in Root.
	Generate func(patterns []string) error
	// Log takes what the go command says.
	Log io.Writer
}

// InitConfig says which module to begin.
type InitConfig struct {
	Config
	// Module is the path of the module; "" for the one that is there.
	Module string
	// Group, Version and Kind are of the first kind; "" has Ask asked.
	Group, Version, Kind string
	// APIModule has the kinds in a module of their own, which clients import without the server.
	APIModule bool
	Origin    Origin
	// Ask asks a person, and returns answer if there is none or if Enter is all that they say.
	Ask func(question, answer string) string
}

// apiFolder is where the versions of the kinds are, below the server's package.
const apiFolder = "api"

// Init writes a module that builds, passes its tests and serves. In a module with kinds, like one
// of kubebuilder, it adds a server for them and changes nothing.
func Init(ctx context.Context, c InitConfig) (Result, error) {
	there, err := modulePath(c.Root)
	if err != nil {
		return Result{}, err
	}
	if err := c.complete(there); err != nil {
		return Result{}, err
	}
	if there != "" && hasGo(c.Root) {
		p, err := Read(c.Root, c.Known)
		switch {
		case err != nil:
			return Result{}, err
		case len(p.Servers) > 0:
			return Result{}, fmt.Errorf("this module has a server, in %s: `gen add` adds to it", p.Servers[0].Path)
		case len(p.APIs) > 0:
			return adopt(ctx, c, p)
		}
	}
	return begin(ctx, c, there)
}

// complete checks what was said and fills in what was not. there is the module that exists.
func (c *InitConfig) complete(there string) error {
	switch {
	case c.Module == "" && there == "":
		return errors.New("name the module, as in `gen init example.com/shop`")
	case c.Module == "":
		c.Module = there
	case there != "" && there != c.Module:
		return fmt.Errorf("here is the module %s already; leave %s out, or take an empty folder", there, c.Module)
	}
	if c.Origin == (Origin{}) {
		return errors.New("this gen is of no release: say with --clone where the source of Typeplane is")
	}
	return checkModule(c.Module)
}

// first completes and checks what is said of the first kind.
func (c *InitConfig) first() error {
	ask := func(said *string, question, answer string, check func(string) error) error {
		if *said == "" {
			*said = c.Ask(question, answer)
		}
		return check(*said)
	}
	return errors.Join(
		ask(&c.Kind, "Name of the first kind", "Example", checkKind),
		ask(&c.Group, "API group, which can't be changed later", groupOf(c.Module), checkGroup),
		ask(&c.Version, "Version", "v1alpha1", checkVersion),
	)
}

// begin writes the first kind and all that is around it.
func begin(ctx context.Context, c InitConfig, there string) (Result, error) {
	if err := c.first(); err != nil {
		return Result{}, err
	}
	folder := ""
	if goFilesIn(c.Root) {
		folder = "apiserver" // another package has the root
	}
	patterns, modules := []string{"./..."}, []string{"."}
	api := path.Join(folder, apiFolder)
	if c.APIModule {
		patterns, modules = append(patterns, "./"+api+"/..."), []string{api, "."}
	}
	p := newProgram(c.Module, folder, programName(c.Module), patterns)
	p.KindsIn = apiFolder + "/"
	version := path.Join(api, c.Version)
	k := newKind(p, c.Group, c.Version, c.Kind, path.Join(c.Module, version), version, folder)

	plan := newPlan(c.Root)
	err := errors.Join(
		plan.make(p.ServerFile, "server.go", p),
		plan.make(p.MainDir+"/main.go", "main.go", p),
		plan.make(path.Join(version, "doc.go"), "doc.go", k),
		planKind(plan, k),
		plan.makeIfMissing("Makefile", "Makefile", p),
		plan.makeIfMissing("README.md", "README.md", k),
		plan.makeIfMissing(".gitignore", "gitignore", nil),
		plan.makeIfMissing(".github/workflows/ci.yaml", "ci.yaml", nil),
	)
	if err != nil {
		return Result{}, err
	}
	result, err := plan.write()
	if err != nil {
		return Result{}, err
	}
	if err := c.modules(ctx, there, api); err != nil {
		return result, err
	}
	result.Next = []string{"make test", "make run"}
	if err := c.finish(ctx, patterns, modules); err != nil {
		return result, err
	}
	return result, noteGenerated(c.Root)
}

// finish downloads the required modules and generates code. Generated code may require more.
func (c InitConfig) finish(ctx context.Context, patterns, modules []string) error {
	if err := require(ctx, c.Root, modules, c.Log); err != nil {
		return fmt.Errorf("the files are written; run `go mod tidy` and `go tool gen %s` when this is mended: %w", strings.Join(patterns, " "), err)
	}
	if err := c.Generate(patterns); err != nil {
		return err
	}
	return require(ctx, c.Root, modules, c.Log)
}

// noteGenerated writes the file by which the Makefile finds that code is generated.
func noteGenerated(root string) error {
	dir := filepath.Join(root, "bin")
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "generated"), nil, 0o644))
}

// modules writes go.mod, and the module of the API with a go.work around both.
func (c InitConfig) modules(ctx context.Context, there, api string) error {
	if there == "" {
		if err := goCommand(ctx, c.Root, io.Discard, "mod", "init", c.Module); err != nil {
			return err
		}
	}
	edits, err := c.edits()
	if err != nil {
		return err
	}
	if !c.APIModule {
		return goCommand(ctx, c.Root, c.Log, append([]string{"mod", "edit"}, edits...)...)
	}
	name := path.Join(c.Module, api)
	edits = append(edits, "-require="+name+"@v0.0.0", "-replace="+name+"=./"+api)
	dir := filepath.Join(c.Root, api)
	return errors.Join(
		goCommand(ctx, dir, io.Discard, "mod", "init", name),
		goCommand(ctx, dir, c.Log, append([]string{"mod", "edit"}, c.Origin.require(true)...)...),
		goCommand(ctx, c.Root, c.Log, append([]string{"mod", "edit"}, edits...)...),
		goCommand(ctx, c.Root, c.Log, "work", "init", ".", "./"+api),
	)
}

// edits are those of go.mod that it lacks.
func (c InitConfig) edits() ([]string, error) {
	file := filepath.Join(c.Root, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil, err
	}
	edits := []string{"-tool=" + Typeplane + "/cmd/gen", "-tool=" + Typeplane + "/cmd/image"}
	if !slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == Typeplane }) {
		edits = append(edits, c.Origin.require(false)...)
	}
	return edits, nil
}

// hasGo says whether there is any Go file in a module.
func hasGo(root string) bool {
	found := false
	_ = filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".go") {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// goFilesIn says whether a folder is a Go package.
func goFilesIn(dir string) bool {
	var none *build.NoGoError
	_, err := build.ImportDir(dir, 0)
	return !errors.As(err, &none)
}
