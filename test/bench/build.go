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

// measured is the server that the parts measure.
var measured = program{".", "./ours"}

// programs are those that the parts need.
func (o options) programs() (needed []program) {
	if o.compares() {
		needed = append(needed, measured, program{".", "./peer"}, program{".", "./ready"})
	}
	if slices.Contains(o.parts, "staircase") {
		needed = append(needed, measured, program{".", "./stairs"})
	}
	if slices.Contains(o.parts, "crowd") || slices.Contains(o.parts, "guard") {
		needed = append(needed, measured)
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
		if err := b.build(ctx, b.from, filepath.Join(dir, filepath.Base(b.pkg))); err != nil {
			return "", fmt.Errorf("go build %s: %w", b.pkg, err)
		}
	}
	return dir, nil
}

// build compiles the program from a directory into a file. Paths are trimmed, so that the checkout
// of another commit uses the same cached packages wherever it lies.
func (p program) build(ctx context.Context, dir, file string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, p.pkg)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	return cmd.Run()
}
