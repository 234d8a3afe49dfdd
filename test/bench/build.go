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

// program is a main package, by its path from the directory that go build is to run in.
type program struct{ from, pkg string }

// build compiles the programs that are measured, with the same flags, and returns the directory
// that holds them. It stays, so that a second run has nothing to link. The two servers are not built
// for parts that have no peer; the examples are built for their sizes only.
func build(ctx context.Context, servers, examples bool) (dir string, err error) {
	if dir, err = filepath.Abs(filepath.Join(root, "bin", "bench")); err != nil {
		return "", err
	}
	var programs []program
	if servers {
		programs = append(programs, program{".", "./ours"}, program{".", "./peer"})
	}
	if examples {
		programs = append(programs, program{root, "./examples/library"}, program{root, "./examples/cluster"})
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
