// Package load reads Go packages once, for all plug-ins of a run.
//
// Packages of the main module come from their source: function bodies are not looked at, generated
// files are left out, and type errors are tolerated, so that a stale or missing generated file
// never stops a run. All other packages come from the export data of the compiler, which is why a
// run takes tenths of a second. Both fill the same model, gengo's types.Universe, and methods and
// functions that stand in generated files are invisible in both.
//
// Start reading at Load. The package never runs user code, never writes files and never asks the
// network for more than the go command does.
package load

import (
	"go/ast"
	"go/token"
	gotypes "go/types"
	"maps"
	"path/filepath"
	"slices"
	"sort"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"golang.org/x/mod/module"
	"k8s.io/gengo/v2/types"
)

// Config says what to load.
type Config struct {
	// Dir is where the go command runs and what file names in positions are relative to; "" is the
	// working directory.
	Dir string
	// Env is the environment of the go command; nil is that of the process.
	Env []string
	// Patterns are package patterns of the go command, like "./...".
	Patterns []string
	// Tags tells which tags name packages to load as well; nil is the common ones.
	Tags *tag.Table
	// Report takes what is wrong in the packages: syntax errors, imports that cannot be resolved.
	Report *diag.Report
	// Shared, if not nil, is asked before the go command is asked about other modules.
	Shared *Shared
}

// Set is the result: packages by import path and the types in them. It grows when Package asks for
// one that was not needed before, so it must not be used from several goroutines at once.
type Set struct {
	// Universe are the types that plug-ins work on. It holds the named packages fully, others as
	// far as their types are used or Package was called for them. Comments are not in it: see
	// Comments.
	Universe types.Universe
	// Packages are those that the patterns name and that carry at least one of our tags, sorted by
	// import path.
	Packages []*Package
	// Named are the folders of all packages that the patterns name, tagged or not, by import path.
	Named map[string]string

	fset        *token.FileSet
	dir         string // absolute
	cfg         Config
	nodes       map[string]*node // what the go command told, by import path
	mainModules []mainModule
	packages    map[string]*Package         // what was handed out or loaded
	imports     map[string]*gotypes.Package // source and export data, by import path
	active      map[string]bool             // source packages being checked, to stop at import cycles
	walked      map[gotypes.Type]*types.Type
	objects     map[*types.Type]gotypes.Object // named types, functions, variables, constants
	members     map[*types.Type]*gotypes.Struct
	docs        map[fileKey]*fileDocs
	comments    map[*ast.CommentGroup]*Comment
	blamed      map[string]bool // why imports lead nowhere, as far as it was said
}

// Package is one Go package.
type Package struct {
	// Path is the import path, Name the name in the package clause, Dir the folder.
	Path, Name, Dir string
	// Types is the package in the model.
	Types *types.Package
	// Go is the package in go/types. For a package of the main module it is without generated files
	// and may hold invalid types where those would have been needed.
	Go *gotypes.Package
	// Aliases are the type aliases that the package declares ("type Pod = corev1.Pod"), sorted by
	// name. In Types they are not: the model only knows the type that they stand for. Only for
	// packages of the main module.
	Aliases []Alias
	// Main tells whether the package belongs to the main module, the only one that is written to.
	Main bool
	// GoVersion is what the go.mod of its module says, like "1.21"; "" if it says nothing. Code of
	// the package is compiled as that version of Go understands it.
	GoVersion string
	// Broken tells that there is a problem in the package, so that its types may be incomplete.
	Broken bool

	node  *node
	files []*ast.File
	// namedAfter are the types that those of the package are named after, as far as readFiles of
	// the files say so.
	namedAfter map[string]gotypes.Object
	readFiles  int
	foreign    map[*ast.File]bool // files that other tools made
	generated  []string           // base names of the files left out
	errors     []gotypes.Error
	lost       []lostImport // imports that lead nowhere, as long as nothing of the run needs them
	filled     bool
}

// Alias is a type alias.
type Alias struct {
	Name string
	// Target is the type that the alias stands for.
	Target *types.Type
	// Go is the declared name; its Type is the *gotypes.Alias.
	Go *gotypes.TypeName
}

// Load runs the go command and reads the packages. An error means that nothing could be loaded at
// all; what is wrong with single packages goes to the report.
func Load(cfg Config) (*Set, error) {
	if cfg.Report == nil {
		cfg.Report = &diag.Report{}
	}
	if cfg.Tags == nil {
		cfg.Tags = tag.NewTable()
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	s := &Set{
		Universe: newUniverse(), Named: map[string]string{},
		fset: token.NewFileSet(), dir: dir, cfg: cfg,
		nodes: map[string]*node{}, packages: map[string]*Package{}, imports: map[string]*gotypes.Package{},
		active: map[string]bool{}, walked: map[gotypes.Type]*types.Type{}, objects: map[*types.Type]gotypes.Object{},
		members: map[*types.Type]*gotypes.Struct{}, docs: map[fileKey]*fileDocs{}, comments: map[*ast.CommentGroup]*Comment{}, blamed: map[string]bool{},
	}
	roots, err := s.list(cfg.Patterns)
	if err != nil {
		return nil, err
	}
	named, err := s.namedPackages(roots)
	if err != nil {
		return nil, err
	}
	exports := s.prefetch(named)
	if err := s.readSources(named, exports); err != nil {
		return nil, err
	}
	for _, p := range named {
		s.check(p)
		s.reportLost(p)
		s.fill(p)
		s.Packages = append(s.Packages, p)
	}
	sort.Slice(s.Packages, func(i, j int) bool { return s.Packages[i].Path < s.Packages[j].Path })
	return s, nil
}

// Folders returns the folders of all packages that were looked at, also of those that were looked
// for in the main module and are not there.
func (s *Set) Folders() []string {
	out := map[string]bool{}
	for path, n := range s.nodes {
		dir := n.dir
		if dir == "" {
			dir, _ = s.ownDir(path)
		}
		if dir != "" {
			out[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// Package returns a package by import path, nil if there is none. A package that nothing needed so
// far is loaded now.
func (s *Set) Package(path string) *Package {
	p := s.packages[path]
	if p == nil {
		if p = s.find(path); p == nil {
			return nil
		}
	}
	if p.Go == nil {
		if p.Main {
			s.check(p)
		} else {
			p.Go = s.importOutside(path)
		}
	}
	if p.Go == nil {
		return nil
	}
	s.fill(p)
	return p
}

// find makes the package known to the set, with the go command if it has to.
func (s *Set) find(path string) *Package {
	if s.nodes[path] == nil {
		if module.CheckImportPath(path) != nil {
			return nil
		}
		if s.ask(path) != nil {
			return nil
		}
	}
	n := s.nodes[path]
	if n == nil || len(n.files) == 0 {
		return nil
	}
	p := s.newPackage(n)
	if p.Main {
		if err := s.readSources([]*Package{p}, func() {}); err != nil {
			return nil
		}
	}
	return p
}

// ask asks the go command for a package that nothing needed so far.
func (s *Set) ask(path string) error {
	if s.ownPath(path) {
		return s.know([]string{path})
	}
	return s.exportData([]string{path})
}

// newPackage returns the package of a node, the same one each time.
func (s *Set) newPackage(n *node) *Package {
	if p := s.packages[n.path]; p != nil {
		return p
	}
	p := &Package{Path: n.path, Name: n.name, Dir: n.dir, Main: n.main, GoVersion: n.goVersion, node: n, Types: s.Universe.Package(n.path)}
	p.Types.Name, p.Types.Dir = n.name, n.dir
	p.foreign = map[*ast.File]bool{}
	s.packages[n.path] = p
	return p
}
