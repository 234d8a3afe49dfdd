package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// root is the root of the repository, from the directory of this module.
const root = "../.."

// build compiles all programs that are measured with the same flags and returns the directory that holds them. It
// stays, so that a second run has nothing to link.
func build(ctx context.Context) (dir string, err error) {
	if dir, err = filepath.Abs(filepath.Join(root, "bin", "bench")); err != nil {
		return "", err
	}
	for _, b := range []struct{ from, pkg string }{{".", "./ours"}, {".", "./peer"}, {root, "./examples/library"}, {root, "./examples/cluster"}} {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, filepath.Base(b.pkg)), b.pkg)
		cmd.Dir, cmd.Stdout, cmd.Stderr = b.from, os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("go build %s: %w", b.pkg, err)
		}
	}
	return dir, nil
}
