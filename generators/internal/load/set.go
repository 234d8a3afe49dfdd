package load

import (
	"go/ast"
	"go/token"
	gotypes "go/types"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/progress"
	"github.com/typeplane/typeplane/generators/internal/tag"
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
	// Whole says that packages which the patterns do not name are loaded, too: see Set.Around.
	Whole bool
	// Tags tells which tags name packages to load as well; nil is the common ones.
	Tags *tag.Table
	// Report takes what is wrong in the packages: syntax errors, imports that cannot be resolved.
	Report *diag.Report
	// Shared, if not nil, holds packages of other modules for several runs.
	Shared *Shared
	// Progress shows the step that a long run is at; nil shows nothing.
	Progress *progress.Progress
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
	// Around are the other packages of the main module that carry one of our tags, sorted by import
	// path, if Config.Whole asks for them. What belongs into a package may follow from one of them:
	// it serves its kinds, or has a function that fills one of its types.
	Around []*Package
	// Named are the folders of all packages that the patterns name, tagged or not, by import path.
	Named map[string]string

	fset        *token.FileSet
	dir         string // absolute
	cfg         Config
	nodes       map[string]*node // what the go command told, by import path
	mainModules []mainModule
	packages    map[string]*Package // handed out or loaded
	walked      map[gotypes.Type]*types.Type
	objects     map[*types.Type]gotypes.Object // named types, functions, variables, constants
	members     map[*types.Type]*gotypes.Struct
	docs        map[fileKey]*fileDocs
	comments    map[*ast.CommentGroup]*Comment
	blamed      map[string]bool // why imports lead nowhere, as far as it was said
	reserved    bool            // this run adds packages to cfg.Shared
	settings    settings
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
	// loose are the loose comments, as far as looseIn of the files have some.
	loose   []*Comment
	looseIn int
}

// Alias is a type alias.
type Alias struct {
	Name string
	// Target is the type that the alias stands for.
	Target *types.Type
	// Go is the declared name; its Type is the *gotypes.Alias.
	Go *gotypes.TypeName
}

// node is what the go command tells of a package.
type node struct {
	path, name, dir string
	module          string            // path of its module, "" in the standard library
	main            bool              // of the main module
	goVersion       string            // that of its module's go.mod, "" if there is none
	files           []string          // Go source files, absolute
	sources         [][]byte          // their contents until they are parsed, nil for those that are not read
	importMap       map[string]string // import paths of its files, where they lead elsewhere
	problem         string            // the error of the go command

	read     bool              // it is parsed, or about to be
	syntax   []*ast.File       // until it is checked
	selected []map[string]bool // of each file: see selectedNames
	uses     []use             // packages that its declarations need
	fault    *fault            // the reason for which it cannot be imported; never of the main module
	bound    bool              // it is of the main module, or uses a package that is bound
	pkg      *gotypes.Package  // once it is checked
}

// Comment is a block of comment lines. There is one Comment for each block of the source, so that
// pointers tell blocks apart.
type Comment struct {
	set   *Set
	group *ast.CommentGroup
}

// newPackage returns the package of a node, the same one each time.
func (s *Set) newPackage(n *node) *Package {
	if p := s.packages[n.path]; p != nil {
		return p
	}
	p := &Package{Path: n.path, Name: n.name, Dir: n.dir, Main: n.main, GoVersion: n.goVersion, node: n, Types: s.Universe.Package(n.path)}
	if !n.main {
		p.Go = n.pkg
	}
	p.Types.Name, p.Types.Dir = n.name, n.dir
	p.foreign = map[*ast.File]bool{}
	s.packages[n.path] = p
	return p
}

// lostImport is an import that leads nowhere.
type lostImport struct {
	at   token.Position
	path string
}
