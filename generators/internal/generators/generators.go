// Package generators turns annotated Go types into the code that nobody should write by hand.
//
// A run loads the packages once (load), and reads and checks their tags (tag). Each plug-in
// (deepcopy, defaulter, conversion, protobuf, register, openapi, apiserver, …) plans and prints
// into files held in memory (emit). If nothing is wrong (diag), the run writes those that changed.
// A plug-in decides in plan.go and prints in emit.go. It only writes where a tag asks for it, and
// imports nothing of the rest of this module. Names of the runtime appear only in what it prints.
// Before all of that uptodate looks whether anything changed since a run that left all as it should
// be. So a plug-in reads only Go files, Markdown and files named in Outputs. They are of the main
// module and of packages that it asks the loader for. Anything else would have to be told to
// uptodate.
//
// Start reading at Run.
package generators

import (
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Plugin makes one kind of generated file.
type Plugin struct {
	// Name selects the plug-in with --generators.
	Name string
	// Doc is one sentence for the help text.
	Doc string
	// Tags are the tags that the plug-in reads. A tag of no plug-in is a problem.
	Tags []tag.Definition
	// Describes says that the plug-in only writes down what markers say, as schemas do. Where
	// another one acts on a marker, to describe it is not enough.
	Describes bool
	// Outputs are the files that the plug-in may write into a package. One that is there, carries
	// the plug-in's header and was not printed by this run is removed.
	Outputs []emit.Output
	// Stale returns files outside the folders of packages that the plug-in once wrote and no longer
	// would. They are then removed. It is nil for a plug-in that writes into packages only. It is
	// called after Generate, and the Packages of its pass are those that the user named.
	Stale func(*Pass) []string
	// Last says that the plug-in looks at what the others print (Pass.Printed), so that it runs
	// after them.
	Last bool
	// Generate plans and prints. It is called once, with all packages; it does not modify them.
	Generate func(*Pass)
}

// Pass is what a plug-in gets for one run.
type Pass struct {
	// Model answers questions about packages, types, markers and positions.
	Model *model.Model
	// Packages are those of the main module that carry at least one of our tags, sorted by import
	// path. What is printed for those that the user did not name is not written: it only tells what
	// belongs into the others.
	Packages []*model.Package
	// Report takes problems.
	Report *diag.Report
	// Header is the license comment that files begin with; only those printed with Raw have to put
	// it there.
	Header string

	// InlineRuntime says that printed protobuf code imports nothing of this project.
	InlineRuntime bool

	// Printed are the files of all other plug-ins, for a plug-in that is Last. They are not to be
	// modified.
	Printed []*emit.File
	// Partial tells that the run leaves out plug-ins that there are, as --generators asks for.
	Partial bool

	// files is what the plug-in printed.
	files []*emit.File
}

// File starts a generated file of pkg, which Run writes when the run has no problem. generator is
// the name in the header ("deepcopy-gen"), which other tools look for. Names that the package
// declares are not given to imports.
func (p *Pass) File(pkg *model.Package, name, generator string) *emit.File {
	f := emit.NewFile(pkg.Dir, name, pkg.Path, pkg.Name, generator)
	f.Header = p.Header
	f.Reserve(pkg.Go.Scope().Names()...)
	p.files = append(p.files, f)
	return f
}

// FileIn is File for another package than pkg, which asks for it: for one that is printed as a
// whole, and need not exist. Its files have no build constraint, since nothing would be left of it
// without them.
func (p *Pass) FileIn(pkg *model.Package, dir, path, name, file, generator string) *emit.File {
	f := emit.NewFile(dir, file, path, name, generator)
	f.AskedBy = pkg.Path
	f.Header = p.Header
	f.Unconstrained()
	p.files = append(p.files, f)
	return f
}

// Files are those that the plug-in has printed so far.
func (p *Pass) Files() []*emit.File { return p.files }

// Raw adds a file of pkg that is not Go and is written as it is.
func (p *Pass) Raw(pkg *model.Package, name string, content []byte) {
	p.RawIn(pkg.Path, pkg.Dir, name, content)
}

// RawIn is Raw for a file in another folder, which need not exist, that the package of an import
// path asks for.
func (p *Pass) RawIn(pkg, dir, name string, content []byte) {
	f := emit.NewRaw(dir, name, content)
	f.AskedBy = pkg
	p.files = append(p.files, f)
}
