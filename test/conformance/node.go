package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// oldestNode is the first major version of node that the library runs on.
const oldestNode = 20

func runNode(ctx context.Context, w *workshop) (string, []result, error) {
	if err := haveNode(ctx); err != nil {
		return "", nil, err
	}
	// npm puts what it installs beside package.json, and there node looks for it.
	if err := os.CopyFS(w.path("node"), os.DirFS("node")); err != nil {
		return "", nil, err
	}
	if err := w.command(ctx, w.path("node"), "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		return "", nil, err
	}
	s, err := w.serve(ctx)
	if err != nil {
		return "", nil, err
	}
	defer s.close()
	return runLines(ctx, s.Kubeconfig, "node", w.path("node", "checks.mjs"))
}

func haveNode(ctx context.Context) error {
	const cure = "install node 20 or newer with npm (Debian has nodejs and npm), or leave it out with -without=client-node"
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("there is no npm: " + cure)
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w: %s", err, cure)
	}
	var major int
	if _, err := fmt.Sscanf(string(out), "v%d.", &major); err != nil || major < oldestNode {
		return fmt.Errorf("this is node %.20q: %s", out, cure)
	}
	return nil
}
