// Command gen generates code from annotated Go types; see package generators.
//
//	gen [flags] PACKAGES…
//	gen tags [--markdown]
//
// It prints problems as file:line:col: what: why; cure. The exit status is 0 if all is well, 1 if
// there are problems or, with --verify, files are out of date, and 2 if it was called wrongly.
package main

import (
	"os"

	"github.com/typeplane/typeplane/generators"
)

func main() { os.Exit(generators.Main(os.Args[1:], os.Stdout, os.Stderr)) }
