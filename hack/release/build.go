package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// programs are those that a release has, by their packages: the generator, the maker of images, and
// a server to try.
var programs = []string{"./cmd/gen", "./cmd/image", "./examples/library"}

// builder builds the programs of a tagged commit.
type builder struct {
	version     string
	clone, work string // the clone, at the tag, and a folder for everything else
	out         string
	platforms   []string
	env         []string // of the go command, beside that of the machine
	cold        bool
	time        time.Time // of the commit
	built       []target
}

// target is a platform of the go command.
type target struct{ os, arch string }

func (t target) file(pkg string) string {
	if t.os == "windows" {
		return path.Base(pkg) + ".exe"
	}
	return path.Base(pkg)
}

func (b *builder) run(ctx context.Context) error {
	stamp, err := git(ctx, b.clone, "show", "--no-patch", "--format=%cI", "HEAD")
	if err != nil {
		return err
	}
	if b.time, err = time.Parse(time.RFC3339, stamp); err != nil {
		return err
	}
	// The second time in another folder: what is built must not know where.
	again := filepath.Join(b.work, "elsewhere", "again")
	if _, err := git(ctx, b.work, "-c", "advice.detachedHead=false", "clone", "--quiet", "--branch", b.version, b.clone, again); err != nil {
		return err
	}
	for i, name := range b.platforms {
		os, arch, ok := strings.Cut(name, "/")
		if !ok {
			return fmt.Errorf("--platforms: %s: want one like linux/amd64", name)
		}
		t := target{os, arch}
		if err := b.twice(ctx, t, again, b.cold || i == 0); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.built = append(b.built, t)
	}
	return b.publish(ctx)
}

// twice builds the programs in both folders, and compares them.
func (b *builder) twice(ctx context.Context, t target, again string, cold bool) error {
	began := time.Now()
	if err := b.build(ctx, b.clone, t, b.programs(t)); err != nil {
		return err
	}
	took, cache, from := time.Since(began), "", "with the same cache"
	if cold {
		folder := filepath.Join(b.work, "cache")
		defer os.RemoveAll(folder)
		cache, from = "GOCACHE="+folder, "with an empty cache"
	}
	began = time.Now()
	second := filepath.Join(b.work, "second")
	defer os.RemoveAll(second)
	if err := b.build(ctx, again, t, second, cache); err != nil {
		return err
	}
	for _, pkg := range programs {
		one, err := os.ReadFile(filepath.Join(b.programs(t), t.file(pkg)))
		if err != nil {
			return err
		}
		other, err := os.ReadFile(filepath.Join(second, t.file(pkg)))
		if err != nil {
			return err
		}
		if !bytes.Equal(one, other) {
			return fmt.Errorf("%s: two builds differ: SHA-256 %x in one folder, %x in the other", pkg, sha256.Sum256(one), sha256.Sum256(other))
		}
	}
	fmt.Printf("%s/%s: built in %s, and the same bytes in another folder in %s, %s\n", t.os, t.arch, took.Round(time.Second), time.Since(began).Round(time.Second), from)
	return nil
}

// programs is the folder of what was built for a platform.
func (b *builder) programs(t target) string {
	return filepath.Join(b.work, "programs", t.os+"_"+t.arch)
}

// build builds all programs into a folder.
func (b *builder) build(ctx context.Context, clone string, t target, into string, env ...string) error {
	args := []string{"build", "-p", "2", "-trimpath", "-buildvcs=true", "-mod=readonly", "-ldflags=-s -w", "-o", into + string(filepath.Separator)}
	cmd := exec.CommandContext(ctx, "go", append(args, programs...)...)
	cmd.Dir = clone
	cmd.Env = slices.Concat(os.Environ(), b.env, []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch}, env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
