package gen

import (
	"fmt"
	"io"

	"github.com/typeplane/typeplane/generators/internal/crd"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

// checkCRD compares CustomResourceDefinitions with the types and returns the exit status.
func checkCRD(cfg generators.Config, path string, stdout, stderr io.Writer) int {
	result, err := crd.Check(crd.CheckConfig{
		Dir: cfg.Dir, Env: cfg.Env, Patterns: cfg.Patterns, Tags: generators.TagTable(cfg.Known), Path: path, Progress: cfg.Progress,
	})
	cfg.Progress.Close()
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return failed
	}
	for _, p := range result.Problems {
		fmt.Fprintln(stderr, p)
	}
	if n := len(result.Problems); n > 0 {
		fmt.Fprintf(stderr, "gen: %s\n", count(n, "difference"))
		return failed
	}
	fmt.Fprintf(stdout, "gen: %s as the types say\n", count(result.Compared, "CustomResourceDefinition"))
	return ok
}
