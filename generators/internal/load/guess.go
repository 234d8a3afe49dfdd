package load

import (
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// guess follows imports without asking the go command, so that it can be asked for everything at
// once. It may be wrong in both directions: what it finds too much costs time, what it misses is
// asked for later.
type guess struct {
	set     *Set
	own     map[string]bool // packages of the main module that the patterns do not name
	outside map[string]bool // imports of other modules
	seen    map[string]bool
}

func (s *Set) guess(named []*Package) guess {
	g := guess{set: s, own: map[string]bool{}, outside: map[string]bool{}, seen: map[string]bool{}}
	for _, p := range named {
		g.visit(p.Path)
	}
	return g
}

func (g guess) visit(path string) {
	if g.seen[path] {
		return
	}
	g.seen[path] = true
	if n := g.set.nodes[path]; n != nil {
		g.follow(n.sources)
		return
	}
	dir, ok := g.set.ownDir(path)
	if !ok {
		g.outside[path] = true
		return
	}
	g.own[path] = true
	g.follow(goFiles(dir))
}

func (g guess) follow(sources [][]byte) {
	for _, data := range sources {
		if data == nil {
			continue
		}
		for _, path := range importPaths(data) {
			g.visit(path)
		}
	}
}

// ownDir returns the folder of a package of the main module, by its path; there may be none.
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

// goFiles reads the files of a folder that belong to its package on this machine, except those that
// we generate.
func goFiles(dir string) [][]byte {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out [][]byte
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || generatedName(name) {
			continue
		}
		if match, err := build.Default.MatchFile(dir, name); err != nil || !match {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			out = append(out, data)
		}
	}
	return out
}

func importPaths(source []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var out []string
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, path)
		}
	}
	return out
}
