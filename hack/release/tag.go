package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// carryOut makes the commits and the tags of the plan in a clone.
func (p *plan) carryOut(ctx context.Context, clone string) error {
	branch, err := git(ctx, clone, "symbolic-ref", "--short", "HEAD")
	if err != nil {
		return fmt.Errorf("a release is made on a branch: %w", err)
	}
	p.branch = branch
	for _, m := range p.modules {
		if old, err := git(ctx, clone, "tag", "--list", m.tagOf(p.version)); err != nil || old != "" {
			return errors.Join(err, fmt.Errorf("the tag %s is there already", old))
		}
	}
	if err := nameSection(filepath.Join(clone, "CHANGELOG.md"), p.version, time.Now()); err != nil {
		return err
	}
	if err := commit(ctx, clone, "release: CHANGELOG.md has "+p.version); err != nil {
		return err
	}
	before, err := git(ctx, clone, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	sums := map[string]sum{}
	for _, m := range p.modules {
		if err := p.release(ctx, clone, m, sums); err != nil {
			return fmt.Errorf("%s: %w", m.folder, err)
		}
	}
	// Work goes on with modules that are replaced by their folders.
	if _, err := git(ctx, clone, "checkout", "--quiet", before, "--", "."); err != nil {
		return err
	}
	return commit(ctx, clone, "release: modules are replaced by their folders again")
}

// release has a module require the released versions of those above it, and tags it.
func (p *plan) release(ctx context.Context, clone string, m module, sums map[string]sum) error {
	if len(m.requires) > 0 {
		if err := p.require(filepath.Join(clone, m.folder), m, sums); err != nil {
			return err
		}
		if err := commit(ctx, clone, fmt.Sprintf("release: %s requires %s", m.path, p.version)); err != nil {
			return err
		}
	}
	if _, err := git(ctx, clone, "tag", "--annotate", "--message", m.path+" "+p.version, m.tagOf(p.version)); err != nil {
		return err
	}
	if err := p.lay(clone, m); err != nil {
		return err
	}
	s, err := p.sumOf(m)
	sums[m.path] = s
	return err
}

// lay puts the files of the tag where the go command looks for them in a proxy.
func (p *plan) lay(clone string, m module) error {
	if err := os.MkdirAll(filepath.Dir(p.laid(m, ".zip")), 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(clone, m.folder, "go.mod"))
	if err != nil {
		return err
	}
	subdir := strings.TrimPrefix(m.folder, ".")
	return errors.Join(
		create(p.laid(m, ".zip"), func(w io.Writer) error {
			return zip.CreateFromVCS(w, gomodule.Version{Path: m.path, Version: p.version}, clone, m.tagOf(p.version), subdir)
		}),
		os.WriteFile(p.laid(m, ".mod"), mod, 0o644),
		os.WriteFile(p.laid(m, ".info"), fmt.Appendf(nil, `{"Version":%q}`, p.version), 0o644))
}

// laid is a file of the version of a module in the proxy.
func (p *plan) laid(m module, suffix string) string {
	return filepath.Join(p.proxy, m.path, "@v", p.version+suffix)
}

// sum is what go.sum says of a module: the hash of its files and that of its go.mod.
type sum struct{ files, mod string }

// sumOf computes it as the go command will.
func (p *plan) sumOf(m module) (sum, error) {
	files, err := dirhash.HashZip(p.laid(m, ".zip"), dirhash.Hash1)
	if err != nil {
		return sum{}, err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return os.Open(p.laid(m, ".mod"))
	})
	return sum{files, mod}, err
}

// goEnv has the go command take the tagged modules from the proxy, and the others from what this
// machine has, or from where it gets them. Its cache of modules is a folder of its own: what was
// only tried must not stay known under the name of a release. Nor do GOFLAGS of the machine change
// what is built.
func goEnv(ctx context.Context, proxy, modules string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	known, others, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return []string{
		"GOMODCACHE=" + modules, "GOFLAGS=-modcacherw", "GOWORK=off", "GONOSUMDB=github.com/typeplane",
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(known, "cache", "download") + "," + others,
	}, nil
}

// require edits go.mod and go.sum.
func (p *plan) require(dir string, m module, sums map[string]sum) error {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	lines := []string{}
	for _, path := range m.requires {
		if err := errors.Join(file.DropReplace(path, ""), file.AddRequire(path, p.version)); err != nil {
			return err
		}
		lines = append(lines,
			fmt.Sprintf("%s %s %s\n", path, p.version, sums[path].files),
			fmt.Sprintf("%s %s/go.mod %s\n", path, p.version, sums[path].mod))
	}
	file.Cleanup()
	if text, err = file.Format(); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(name, text, 0o644), addSums(filepath.Join(dir, "go.sum"), lines))
}

// addSums puts lines where the go command would have them.
func addSums(name string, lines []string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	all := append(slices.Collect(strings.Lines(string(text))), lines...)
	slices.SortStableFunc(all, func(a, b string) int {
		pathA, restA, _ := strings.Cut(a, " ")
		pathB, restB, _ := strings.Cut(b, " ")
		if pathA != pathB {
			return strings.Compare(pathA, pathB)
		}
		return strings.Compare(restA, restB)
	})
	return os.WriteFile(name, []byte(strings.Join(all, "")), 0o644)
}

// unreleased is the heading of what was changed since the last release.
const unreleased = "## Unreleased\n"

// nameSection gives that section the name of the version and the day.
func nameSection(name, version string, now time.Time) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, after, found := bytes.Cut(text, []byte(unreleased))
	section, _, _ := bytes.Cut(after, []byte("\n## "))
	if !found || len(bytes.TrimSpace(section)) == 0 {
		return fmt.Errorf("%s has nothing under %q: a release says what it changes", filepath.Base(name), strings.TrimSpace(unreleased))
	}
	heading := fmt.Sprintf("%s\n## %s, %s\n", unreleased, version, now.UTC().Format(time.DateOnly))
	return os.WriteFile(name, bytes.Replace(text, []byte(unreleased), []byte(heading), 1), 0o644)
}

// notes are the section of a version.
func notes(changelog, version string) (string, error) {
	_, after, found := strings.Cut(changelog, "\n## "+version+", ")
	section, _, _ := strings.Cut(after, "\n## ")
	_, section, _ = strings.Cut(section, "\n") // the rest of the heading
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no section for %s", version)
	}
	return strings.TrimSpace(section) + "\n", nil
}

func commit(ctx context.Context, clone, message string) error {
	_, err := git(ctx, clone, "commit", "--quiet", "--all", "--message", message)
	return err
}
