package clientgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loader reads packages of one module from their source, without the bodies of functions. What they
// import of other modules comes from the compiler. So nothing of the module has to be compiled to
// know what it exports.
type loader struct {
	fset    *token.FileSet
	listed  map[string]listed
	loaded  map[string]*types.Package
	outside types.Importer
}

// listed is what the go command tells of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
	Module                  *struct{ Main bool }
}

func (l listed) ours() bool { return l.Module != nil && l.Module.Main }

// loadPackages loads the packages of a module that patterns name.
func loadPackages(t *testing.T, dir string, patterns []string) []*types.Package {
	t.Helper()
	l := &loader{fset: token.NewFileSet(), listed: map[string]listed{}, loaded: map[string]*types.Package{}}
	outside := map[string]bool{}
	for _, p := range list(t, dir, append([]string{"-deps"}, patterns...)) {
		l.listed[p.ImportPath] = p
	}
	for _, p := range l.listed {
		for _, path := range p.Imports {
			if p.ours() && !l.listed[path].ours() && path != "unsafe" {
				outside[path] = true
			}
		}
	}
	args := []string{"-export", "-deps"}
	for path := range outside {
		args = append(args, path)
	}
	exports := map[string]string{}
	for _, p := range list(t, dir, args) {
		exports[p.ImportPath] = p.Export
	}
	l.outside = importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var out []*types.Package
	for _, p := range list(t, dir, patterns) {
		pkg, err := l.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pkg)
	}
	return out
}

// list asks the go command for packages.
func list(t *testing.T, dir string, args []string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,Imports,Module"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	var out []listed
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
}

// Import loads a package of the module, or asks for what the compiler knows of another.
func (l *loader) Import(path string) (*types.Package, error) {
	p := l.listed[path]
	if !p.ours() {
		return l.outside.Import(path)
	}
	if pkg := l.loaded[path]; pkg != nil {
		return pkg, nil
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: l, IgnoreFuncBodies: true}
	pkg, err := config.Check(path, l.fset, files, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.loaded[path] = pkg
	return pkg, nil
}
