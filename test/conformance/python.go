package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// python is Debian's, in which Debian's packages are; another may come first in PATH.
const python = "/usr/bin/python3"

func runPython(ctx context.Context, w *workshop) (string, []result, error) {
	if err := w.havePython(ctx); err != nil {
		return "", nil, err
	}
	s, err := w.serve(ctx)
	if err != nil {
		return "", nil, err
	}
	defer s.close()
	return runLines(ctx, s.Kubeconfig, python, "python/checks.py")
}

// havePython installs the library if it is not there, where that can be done without asking.
func (w *workshop) havePython(ctx context.Context) error {
	if w.command(ctx, ".", python, "-c", "import kubernetes, yaml") == nil {
		return nil
	}
	const packages = "python3-kubernetes"
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("there is no " + packages + ", and no apt-get to install it with: run this on Debian, or leave it out with -without=" + packages)
	}
	if os.Geteuid() != 0 {
		return errors.New("there is no " + packages + ": run `apt-get install " + packages + "` as root, or leave it out with -without=" + packages)
	}
	for _, args := range [][]string{{"update"}, {"install", "--yes", "--no-install-recommends", packages}} {
		if err := w.command(ctx, ".", "apt-get", args...); err != nil {
			return fmt.Errorf("install %s: %w", packages, err)
		}
	}
	return nil
}
