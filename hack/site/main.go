// Command site makes the project's site of the documents in the repository, as far as that needs no
// node. `make site` runs it before and after VitePress, which lays out the pages:
//
//	go run ./hack/site pages DIR    writes the pages and the menu into DIR
//	go run ./hack/site check DIR    looks at what was built of them
//
// Documents stay where they are, and are written for GitHub. A document is a page if links lead to
// it from docs/README.md, and the menu is what that page lists, in its order. What is no page is
// linked to in the repository. Package pages are printed of the doc comments of the packages that
// docs/api lists. Nothing is left out silently: a document that no link leads to is a problem.
//
// Start reading at read in pages.go.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "pages":
		s, err := read(".")
		if err != nil {
			return err
		}
		return s.write(args[1])
	case len(args) == 2 && args[0] == "check":
		problems, err := check(args[1], os.Getenv("SITE_BASE"))
		if err != nil {
			return err
		}
		return told(problems)
	}
	return errors.New("want pages DIR or check DIR")
}

// told makes one error of what is wrong, nil of nothing.
func told(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%d problems:\n%s", len(problems), strings.Join(problems, "\n"))
}
