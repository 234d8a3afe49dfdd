package etcdproc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build returns the path of an etcd: the one that the environment variable ETCD names, or else
// bin/etcd in the root of the repository, which it brings up to date. The first time this takes as
// long as compiling etcd does, later half a second. The current directory must be inside the
// repository. Several processes may build at the same time.
func Build(ctx context.Context) (string, error) {
	if given := os.Getenv("ETCD"); given != "" {
		return given, nil
	}
	root, err := repository()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(root, "bin", "etcd")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "go.etcd.io/etcd/server/v3")
	cmd.Dir = filepath.Join(root, "test", "etcd")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("etcdproc: build etcd in %s: %w\n%s", cmd.Dir, err, out)
	}
	return binary, nil
}

// repository returns the directory that holds test/etcd, the current one or one above it.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "test", "etcd", "go.mod")); err == nil {
			return dir, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("etcdproc: no test/etcd/go.mod in %s or above: name an etcd in the environment variable ETCD", start)
		}
	}
}
