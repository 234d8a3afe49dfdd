package printer

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
)

// Target is a package that functions are printed into.
type Target struct {
	Package *model.Package
	Input   string // import path of the package of the types
	// Registry is the type of the scheme to register with, nil for none.
	Registry *emit.Ident

	Roots     []Function // those that are registered, by name
	Functions []Function // in the order in which they are printed
	// Local are the names of functions that this file has for types of other packages, Outputs the
	// packages that have the functions of the types of a package.
	Local   map[emit.Ident]string
	Outputs map[string]string
	// Fixture and Coverage ask for tests.
	Fixture, Coverage bool
}

// Function is one to be printed, of the type Shown.
type Function struct {
	Name, Shown  string
	Node         *graph.Node
	Subresources []string
}
