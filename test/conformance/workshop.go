package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// workshop is a folder with what is built, and with the data of servers.
type workshop struct {
	dir, repository string
}

func openWorkshop(ctx context.Context) (*workshop, error) {
	repository, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	w := &workshop{dir: dir, repository: repository}
	return w, w.build(ctx, ".", "./examples/cluster", "cluster")
}

func (w *workshop) close() { os.RemoveAll(w.dir) }

// build makes a program of a package in a module of the repository.
func (w *workshop) build(ctx context.Context, module, pkg, name string, flags ...string) error {
	args := append(append([]string{"build", "-o", w.path(name)}, flags...), pkg)
	return w.command(ctx, filepath.Join(w.repository, module), "go", args...)
}

// command runs one in a folder, and says what it said if it failed.
func (w *workshop) command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, tail(out))
	}
	return nil
}

// path is that of a file in the workshop.
func (w *workshop) path(elements ...string) string {
	return filepath.Join(append([]string{w.dir}, elements...)...)
}

// etcd builds and starts one beside the server.
func (w *workshop) etcd(ctx context.Context) (*etcdproc.Cluster, error) {
	binary, err := etcdproc.Build(ctx)
	if err != nil {
		return nil, err
	}
	return etcdproc.Start(ctx, etcdproc.Config{Binary: binary, Dir: w.path("etcd")})
}
