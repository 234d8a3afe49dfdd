package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/module"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// The go command is asked twice, and more often only in rare cases. First it says which packages
// the patterns name, without what they import. Their sources are parsed then; meanwhile it gives
// the export data of what they import of other modules. At the same time it finds packages of the
// main module that they import but the patterns do not name.

// listed is the part of the go command's answer that we ask for.
type listed struct {
	ImportPath, Name, Dir, Export     string
	GoFiles, CgoFiles, InvalidGoFiles []string
	Module                            *struct {
		Path, Dir string
		Main      bool
		GoVersion string
	}
	Error      *struct{ Err string }
	DepsErrors []struct{ Err string }
}

const listedFields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,InvalidGoFiles,Module,Error"

// list asks the go command for packages, but not for what they import, and returns them.
func (s *Set) list(patterns []string) ([]*node, error) {
	found, err := s.query(findQuery(patterns))
	if err != nil {
		return nil, err
	}
	return s.take(found), nil
}

// take adds what the go command said to what is known.
func (s *Set) take(found []listed) []*node {
	out := make([]*node, 0, len(found))
	for _, l := range found {
		n := s.nodes[l.ImportPath]
		if n == nil || n.dir == "" {
			n = newNode(l)
			s.nodes[n.path] = n
		}
		if n.export == "" { // one with export data may be shared and stays as it is
			n.export = l.Export
			if l.Error != nil && n.problem == "" {
				n.problem = strings.TrimSpace(l.Error.Err)
			}
		}
		if n.main {
			s.addMain(mainModule{l.Module.Path, l.Module.Dir})
		}
		out = append(out, n)
	}
	return out
}

// mainModule is the module that is generated for; a workspace has several.
type mainModule struct{ path, dir string }

func (s *Set) addMain(m mainModule) {
	if !slices.Contains(s.mainModules, m) {
		s.mainModules = append(s.mainModules, m)
	}
}

func newNode(l listed) *node {
	n := &node{path: l.ImportPath, name: l.Name, dir: l.Dir}
	if l.Module != nil {
		n.module, n.main, n.goVersion = l.Module.Path, l.Module.Main, l.Module.GoVersion
	}
	for _, base := range slices.Concat(l.GoFiles, l.CgoFiles, l.InvalidGoFiles) {
		if name := filepath.Join(l.Dir, base); !slices.Contains(n.files, name) {
			n.files = append(n.files, name)
		}
	}
	return n
}

// ownPath tells whether an import path looks like one of the main module. Below it there may be
// other modules, which only the go command knows.
func (s *Set) ownPath(path string) bool {
	return slices.ContainsFunc(s.mainModules, func(m mainModule) bool {
		return path == m.path || strings.HasPrefix(path, m.path+"/")
	})
}

// prefetch starts to ask for what the named packages seem to import, while they are being parsed.
// The function it returns waits and takes the result over.
func (s *Set) prefetch(named []*Package) func() {
	g := s.guess(named)
	var own, outside []listed
	var both sync.WaitGroup
	if paths := slices.Sorted(maps.Keys(g.own)); len(paths) > 0 {
		both.Go(func() { own, _ = s.query(findQuery(paths)) })
	}
	if paths := s.withoutExport(slices.Sorted(maps.Keys(g.outside))); len(paths) > 0 {
		both.Go(func() { outside, _ = s.compiled(paths) })
	}
	return sync.OnceFunc(func() {
		both.Wait()
		s.take(own)
		s.cfg.Shared.keep(s.take(outside))
	})
}

// exportData asks the go command to compile packages of other modules, as far as they are not in
// its cache. It notes where their export data is, and that of all that they import.
func (s *Set) exportData(paths []string) error {
	missing := s.withoutExport(paths)
	if len(missing) == 0 {
		return nil
	}
	found, err := s.compiled(missing)
	if err != nil {
		return err
	}
	s.cfg.Shared.keep(s.take(found))
	return nil
}

func findQuery(patterns []string) []string {
	return append([]string{"-find", listedFields, "--"}, patterns...)
}

// patience is how long the go command may compile before somebody is told what takes so long.
var patience = 2 * time.Second

// compiled asks the go command for export data. What is not in its cache it compiles.
func (s *Set) compiled(paths []string) ([]listed, error) {
	if s.cfg.Waits != nil {
		wait := time.AfterFunc(patience, func() {
			s.told.Do(func() {
				fmt.Fprintf(s.cfg.Waits, "gen: the go command compiles what the types import of other modules (packages: %d, and what those import); the next run is quick\n", len(paths))
			})
		})
		defer wait.Stop()
	}
	return s.query(exportQuery(paths))
}

func exportQuery(paths []string) []string {
	return append([]string{"-export", "-deps", "-pgo=off", listedFields + ",Export", "--"}, paths...)
}

// withoutExport returns the paths whose export data nobody asked for yet.
func (s *Set) withoutExport(paths []string) []string {
	s.cfg.Shared.lend(s, paths)
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		if path == "unsafe" || path == "C" || module.CheckImportPath(path) != nil {
			return true
		}
		n := s.nodes[path]
		return n != nil && (n.export != "" || n.problem != "" || n.main)
	})
}

// query runs the go command.
func (s *Set) query(args []string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-e", "-buildvcs=false"}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.cfg.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clip(cmd.Env), "PWD="+s.dir) // a folder behind a link keeps the name that the user knows
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, queryError(withoutDownloads(said.String()), err)
	}
	var found []listed
	for d := json.NewDecoder(&out); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("load packages: what go list said: %w", err)
		}
		found = append(found, l)
	}
}

// notFound is about a pattern that names nothing.
func (s *Set) notFound(n *node) diag.Problem {
	if strings.Contains(n.problem, "does not contain main module") && noModule(s.dir) {
		return diag.Problem{Path: n.path, Message: "there is no go.mod in this folder, and in none above it", Cure: "run gen init example.com/NAME for a module that serves, or go mod init for an empty one"}
	}
	what, cure := advice(n.problem)
	return diag.Problem{Path: n.path, Message: what, Cure: cure}
}

// queryError is why the go command could not even list what is wrong.
func queryError(said string, err error) error {
	if said == "" {
		return fmt.Errorf("load packages: %w", err)
	}
	what, cure := advice(said)
	if cure == "" {
		return fmt.Errorf("load packages: %s", said)
	}
	return fmt.Errorf("load packages: %s; %s", what, cure)
}

// namedPackages returns the packages to generate for: those that the patterns name, of the main
// module, with one of our tags in them. It reports patterns that name nothing useful.
func (s *Set) namedPackages(roots []*node) ([]*Package, error) {
	var inside []*node
	for _, n := range roots {
		switch {
		case len(n.files) == 0 && n.dir == "":
			s.cfg.Report.Add(s.notFound(n))
		case !n.main && n.dir != "":
			s.cfg.Report.Add(diag.Problem{
				Message: fmt.Sprintf("package %s does not belong to the main module", n.path),
				Cure:    "run gen in the module of that package",
			})
		default:
			s.Named[n.path] = n.dir
			inside = append(inside, n)
		}
	}
	if len(roots) == 0 {
		s.cfg.Report.Add(diag.Problem{
			Message: fmt.Sprintf("no package matches %s", strings.Join(s.cfg.Patterns, " ")),
			Cure:    "name packages as the go command does, like ./...",
		})
	}
	if err := readFiles(inside); err != nil {
		return nil, err
	}
	return s.tagged(inside), nil
}

// around returns the packages of the main modules with one of our tags in them that the patterns do
// not name.
func (s *Set) around() ([]*Package, error) {
	var all []string
	for _, m := range s.mainModules {
		all = append(all, m.path+"/...")
	}
	if len(all) == 0 || s.namesAll() {
		return nil, nil
	}
	found, err := s.list(all)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(found, func(n *node) bool { return !n.main || s.Named[n.path] != "" })
	if err := readFiles(others); err != nil {
		return nil, err
	}
	return s.tagged(others), nil
}

// namesAll tells whether the patterns name all packages of the only main module.
func (s *Set) namesAll() bool {
	return len(s.mainModules) == 1 && s.dir == s.mainModules[0].dir && slices.Contains(s.cfg.Patterns, "./...")
}

// tagged are the packages of nodes with one of our tags in them.
func (s *Set) tagged(nodes []*node) (out []*Package) {
	for _, n := range nodes {
		if hasTags(n) {
			out = append(out, s.newPackage(n))
		}
	}
	return out
}
