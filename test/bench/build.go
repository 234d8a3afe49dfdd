package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// root is the root of the repository, from the directory of this module.
const root = "../.."

// program is a main package, by its path from the directory that go build is to run in.
type program struct{ from, pkg string }

// programs are those that the parts need.
func (o options) programs() (needed []program) {
	ours := program{".", "./ours"}
	if o.compares() {
		needed = append(needed, ours, program{".", "./peer"}, program{".", "./ready"})
	}
	if slices.Contains(o.parts, "staircase") {
		needed = append(needed, ours, program{".", "./stairs"})
	}
	if slices.Contains(o.parts, "crowd") {
		needed = append(needed, ours)
	}
	if slices.Contains(o.parts, "sizes") {
		needed = append(needed, program{root, "./examples/library"}, program{root, "./examples/cluster"})
	}
	return needed
}

// build compiles the programs that are measured, with the same flags, and returns the directory
// that holds them. It stays, so that a second run has nothing to link.
func build(ctx context.Context, programs []program) (dir string, err error) {
	if dir, err = filepath.Abs(filepath.Join(root, "bin", "bench")); err != nil {
		return "", err
	}
	for _, b := range programs {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, filepath.Base(b.pkg)), b.pkg)
		cmd.Dir, cmd.Stdout, cmd.Stderr = b.from, os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("go build %s: %w", b.pkg, err)
		}
	}
	return dir, nil
}
