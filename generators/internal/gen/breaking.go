package gen

import (
	"fmt"
	"io"

	"github.com/typeplane/typeplane/generators/internal/breaking"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

// checkBreaking compares the packages with an older state of them and returns the exit status.
func checkBreaking(cfg generators.Config, ref string, stderr io.Writer) int {
	result, err := breaking.Check(breaking.Config{
		Dir: cfg.Dir, Env: cfg.Env, Patterns: cfg.Patterns, Ref: ref, Tags: generators.TagTable(cfg.Known), Progress: cfg.Progress,
	})
	cfg.Progress.Close()
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return failed
	}
	for _, p := range result.Invalid {
		fmt.Fprintln(stderr, p)
	}
	if n := len(result.Invalid); n > 0 {
		fmt.Fprintf(stderr, "gen: %s, nothing was compared\n", count(n, "problem"))
		return failed
	}
	for _, p := range result.Notes {
		fmt.Fprintf(stderr, "%s (a note: alpha versions promise nothing)\n", p)
	}
	for _, p := range result.Problems {
		fmt.Fprintln(stderr, p)
	}
	if n := len(result.Problems); n > 0 {
		fmt.Fprintf(stderr, "gen: %s since %s\n", count(n, "breaking change"), ref)
		return failed
	}
	return ok
}
