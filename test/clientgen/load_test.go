package clientgen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
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

// loader reads packages from their source, without the bodies of functions. So nothing has to be
// compiled to know what a module exports.
type loader struct {
	fset   *token.FileSet
	listed map[string]listed
	loaded map[string]*types.Package
}

// listed is what the go command tells of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
}

// loadPackages loads the packages of a module that patterns name.
func loadPackages(t *testing.T, dir string, patterns []string) []*types.Package {
	t.Helper()
	l := &loader{fset: token.NewFileSet(), listed: map[string]listed{}, loaded: map[string]*types.Package{"unsafe": types.Unsafe}}
	for _, p := range list(t, dir, append([]string{"-deps"}, patterns...)) {
		l.listed[p.ImportPath] = p
	}
	var out []*types.Package
	for _, p := range list(t, dir, patterns) {
		pkg, err := l.load(p.ImportPath)
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
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,ImportMap"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
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

// importer has the imports of one package.
type importer struct {
	*loader
	of listed
}

// Import loads a package by the path in an import declaration.
func (i importer) Import(path string) (*types.Package, error) {
	return i.load(cmp.Or(i.of.ImportMap[path], path))
}

// load loads a package by its own path.
func (l *loader) load(path string) (*types.Package, error) {
	if pkg := l.loaded[path]; pkg != nil {
		return pkg, nil
	}
	p := l.listed[path]
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: importer{l, p}, IgnoreFuncBodies: true}
	pkg, err := config.Check(path, l.fset, files, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.loaded[path] = pkg
	return pkg, nil
}
