// Command release makes a release of all modules of this repository.
//
//	go run ./hack/release --version v0.1.0          everything but the tags, in bin/release/v0.1.0
//	go run ./hack/release --version v0.1.0 --tag    the same, and the tags come into this repository
//
// It works in a clone that it throws away. There it writes the section of CHANGELOG.md, has each
// module require the released versions of those above it, and tags one after the other. From the
// tagged commit it builds the programs for all platforms, twice in different folders, and compares
// them. Nothing is pushed: the last lines say what is left to do.
//
// plan.go says which modules are tagged in which order, tag.go does it, build.go builds, and
// publish.go has what is laid beside the programs.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	var o options
	pflag.StringVar(&o.version, "version", "", "the `version`, like v0.1.0")
	pflag.BoolVar(&o.tag, "tag", false, "bring the commits and the tags into this repository; without it they are thrown away")
	pflag.BoolVar(&o.plan, "plan", false, "print what would be tagged in which order, and do nothing")
	pflag.BoolVar(&o.cold, "cold", false, "build everything again with an empty cache; without it only the first platform")
	pflag.StringSliceVar(&o.platforms, "platforms", []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}, "comma-separated `platforms` to build for")
	pflag.StringVar(&o.out, "out", "", "`folder` for what is published; without it bin/release/VERSION")
	pflag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	version, out    string
	tag, plan, cold bool
	platforms       []string
}

func run(ctx context.Context, o options) error {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	p, err := newPlan(root, o.version)
	if err != nil {
		return err
	}
	fmt.Print(p)
	if o.plan {
		return nil
	}
	if dirty, err := git(ctx, root, "status", "--porcelain"); err != nil || dirty != "" {
		return errors.Join(err, fmt.Errorf("files are changed: commit them first\n%s", dirty))
	}
	if o.out == "" {
		o.out = filepath.Join(root, "bin", "release", o.version)
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	clone := filepath.Join(work, "typeplane")
	p.proxy = filepath.Join(work, "proxy")
	if _, err := git(ctx, root, "clone", "--quiet", "--no-hardlinks", ".", clone); err != nil {
		return err
	}
	for _, key := range []string{"user.name", "user.email"} { // a clone has only what all of this user's have
		if value, err := git(ctx, root, "config", key); err == nil {
			if _, err := git(ctx, clone, "config", key, value); err != nil {
				return err
			}
		}
	}
	if err := p.carryOut(ctx, clone); err != nil {
		return err
	}
	if _, err := git(ctx, clone, "-c", "advice.detachedHead=false", "checkout", "--quiet", o.version); err != nil {
		return err
	}
	b := builder{version: o.version, clone: clone, work: work, out: o.out, platforms: o.platforms, cold: o.cold}
	if b.env, err = goEnv(ctx, p.proxy, filepath.Join(work, "modules")); err != nil {
		return err
	}
	if err := b.run(ctx); err != nil {
		return err
	}
	if !o.tag {
		fmt.Printf("\nNothing is tagged. When all is well: the same with --tag.\n")
		return nil
	}
	if _, err := git(ctx, root, "fetch", "--quiet", "--tags", clone, p.branch+":"+p.releaseBranch()); err != nil {
		return err
	}
	fmt.Printf("\nThe tags are in this repository, and the commits are on the branch %s. What is left:\n\n", p.releaseBranch())
	for _, line := range p.publish() {
		fmt.Println("  " + line)
	}
	return nil
}

// git runs a command of git in a folder, and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimRight(string(out), "\n"), nil
}
