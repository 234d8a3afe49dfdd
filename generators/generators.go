// Package generators runs gen: it reads annotated Go types and prints the code that nobody should
// write by hand. Everything below it is internal: what it reads, in package load; what it makes of
// that, in package model; and a package for each kind of file that it prints. Start reading at
// internal/gen, then internal/generators, which has the order of a run.
package generators

import (
	"io"

	"github.com/typeplane/typeplane/generators/internal/gen"
)

// Main runs gen with the arguments of a command line, and returns its exit status. That is 0 if all
// is well, and 2 if gen was called wrongly. It is 1 if there are problems or, with --verify, files
// are out of date. Problems go to errors.
func Main(args []string, out, errors io.Writer) int { return gen.Main(args, out, errors) }
