package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/progress"
)

// The go command lists packages twice: those that the patterns name, without their imports, and
// then all that those import. Only in rare cases it lists more. It compiles nothing.

// listed is the part of a package's description by the go command that is read here.
type listed struct {
	ImportPath, Name, Dir             string
	GoFiles, CgoFiles, InvalidGoFiles []string
	ImportMap                         map[string]string
	Module                            *struct {
		Path, Dir string
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

const listedFields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,InvalidGoFiles,ImportMap,Module,Error"

// list asks the go command for packages, but not for what they import, and returns them.
func (s *Set) list(patterns []string) ([]*node, error) {
	found, err := s.query(findQuery(patterns))
	if err != nil {
		return nil, err
	}
	return s.take(found), nil
}

// take adds packages that the go command has described, and returns their nodes.
func (s *Set) take(found []listed) []*node {
	out := make([]*node, 0, len(found))
	for _, l := range found {
		s.lend(l.ImportPath)
		n := s.nodes[l.ImportPath]
		if n == nil || n.dir == "" {
			n = newNode(l)
			s.nodes[n.path] = n
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
	n := &node{path: l.ImportPath, name: l.Name, dir: l.Dir, importMap: l.ImportMap}
	if l.Error != nil {
		n.problem = strings.TrimSpace(l.Error.Err)
	}
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

// ownDir returns the folder of a package of the main module, by its path. The folder may not exist.
func (s *Set) ownDir(path string) (dir string, ok bool) {
	for _, m := range s.mainModules {
		if path != m.path && !strings.HasPrefix(path, m.path+"/") {
			continue
		}
		dir := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(path, m.path)))
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil || dir == m.dir {
			return dir, true
		}
	}
	return "", false
}

// know asks the go command for the packages of import paths, as far as they are not known, and for
// all packages that those import.
func (s *Set) know(paths []string) error {
	s.lend(paths...)
	if len(s.unknown(paths)) == 0 {
		return nil
	}
	s.reserve()
	s.lend(paths...)
	unknown := s.unknown(paths)
	if len(unknown) == 0 {
		return nil
	}
	found, err := s.query(append([]string{"-deps", listedFields, "--"}, unknown...))
	if err != nil {
		return err
	}
	s.take(found)
	return nil
}

// unknown returns those of some import paths that the go command has to be asked for.
func (s *Set) unknown(paths []string) []string {
	var out []string
	for _, path := range paths {
		if path != "unsafe" && path != "C" && s.nodes[path] == nil && module.CheckImportPath(path) == nil {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func findQuery(patterns []string) []string {
	return append([]string{"-find", listedFields, "--"}, patterns...)
}

// query asks the go command for packages.
func (s *Set) query(args []string) ([]listed, error) {
	text, err := s.goCommand(append([]string{"list", "-e", "-buildvcs=false"}, args...)...)
	if err != nil {
		return nil, err
	}
	var found []listed
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("load packages: what go list said: %w", err)
		}
		found = append(found, l)
	}
}

// goCommand runs the go command and returns its output.
func (s *Set) goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = s.dir, s.cfg.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clip(cmd.Env), "PWD="+s.dir) // a folder behind a link keeps the name that the user knows
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&said, &downloads{progress: s.cfg.Progress})
	if err := cmd.Run(); err != nil {
		return nil, queryError(withoutDownloads(said.String()), err)
	}
	return out.Bytes(), nil
}

// downloads counts the lines in which the go command names a module that it downloads.
type downloads struct {
	progress *progress.Progress
	begun    bool
}

func (d *downloads) Write(lines []byte) (int, error) {
	if n := bytes.Count(lines, []byte("go: downloading ")); n > 0 {
		if !d.begun {
			d.progress.Step("download modules", 0)
			d.begun = true
		}
		d.progress.Add(n)
	}
	return len(lines), nil
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
	if err := s.readFiles(inside); err != nil {
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
	if err := s.readFiles(others); err != nil {
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
