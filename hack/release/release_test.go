package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
)

// copied is the state of the work tree as a repository of its own.
func copied(t *testing.T) string {
	t.Helper()
	root, dir := "../..", t.TempDir()
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "Releases"}, {"config", "user.email", "releases@example.com"},
		{"config", "gc.auto", "0"}, {"add", "--all", "--force"}, {"commit", "--quiet", "--message", "all"},
	} {
		mustGit(t, dir, args...)
	}
	return dir
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git(context.Background(), dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTags makes the commits and tags of a release, and asks the go command if it believes them. A
// module of the proxy is what go.sum says, and none is replaced.
func TestTags(t *testing.T) {
	const version = "v0.91.7"
	repo := copied(t)
	p, err := newPlan(repo, version)
	if err != nil {
		t.Fatal(err)
	}
	p.proxy = t.TempDir()
	before := mustGit(t, repo, "rev-parse", "HEAD")
	if err := p.carryOut(t.Context(), repo); err != nil {
		t.Fatal(err)
	}
	if got := mustGit(t, repo, "diff", "--stat", before, "HEAD"); !strings.Contains(got, "CHANGELOG.md") || strings.Contains(got, "go.mod") {
		t.Errorf("the release changes more than the changelog, or not that:\n%s", got)
	}
	for _, m := range p.modules {
		mod, err := os.ReadFile(p.laid(m, ".mod"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse("go.mod", mod, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(file.Replace) > 0 {
			t.Errorf("%s: its tag has a go.mod with replacements:\n%s", m.path, mod)
		}
	}
	// The go.sum of the last module that requires all others has the hashes of them.
	last := p.modules[len(p.modules)-1]
	for _, m := range p.modules {
		if len(m.requires) > len(last.requires) {
			last = m
		}
	}
	mustGit(t, repo, "checkout", "--quiet", last.tagOf(version))
	for _, path := range last.requires {
		cmd := exec.Command("go", "mod", "download", path)
		cmd.Dir = filepath.Join(repo, last.folder)
		env, err := goEnv(t.Context(), p.proxy, filepath.Join(t.TempDir(), "modules"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s does not get %s: %v\n%s", last.path, path, err, out)
		}
	}
}

func TestVersionsRefused(t *testing.T) {
	for _, version := range []string{"", "0.1.0", "v1", "v0.1", "v2.0.0", "v0.1.0+build"} {
		if _, err := newPlan("../..", version); err == nil {
			t.Errorf("--version=%s is taken", version)
		}
	}
}

func TestChangelog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "CHANGELOG.md")
	for text, want := range map[string]string{
		"# Changelog\n\n## Unreleased\n\n- New.\n\n## v0.1.0, 2026-01-02\n\n- Old.\n": "- New.\n",
		"# Changelog\n\n## Unreleased\n\n- New.\n":                                    "- New.\n",
		"# Changelog\n\n## Unreleased\n\n## v0.1.0, 2026-01-02\n\n- Old.\n":           "",
		"# Changelog\n": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := nameSection(name, "v0.2.0", time0)
		if (err == nil) != (want != "") {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			continue
		}
		after, _ := os.ReadFile(name)
		if got, err := notes(string(after), "v0.2.0"); err != nil || got != want || !strings.Contains(string(after), "## Unreleased\n\n## v0.2.0, 2026-03-04\n") {
			t.Errorf("%q, %v of\n%s", got, err, after)
		}
	}
}

// TestLinked: what a release shows alone leads to files that the tag has.
func TestLinked(t *testing.T) {
	got := linked("[a](b.md#c), [d](../e/f.md), [g](#h), [i](https://example.com/j)", "docs/k.md", "v0.2.0")
	want := "[a](" + source + "v0.2.0/docs/b.md#c), [d](" + source + "v0.2.0/e/f.md), [g](#h), [i](https://example.com/j)"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	known := regexp.MustCompile(`\]\(` + source + `v0\.2\.0/([^)#]+)`)
	found := 0
	for _, name := range append([]string{"CHANGELOG.md"}, attached...) {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range known.FindAllStringSubmatch(linked(string(text), name, "v0.2.0"), -1) {
			found++
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s links %v", name, err)
			}
		}
	}
	if found == 0 {
		t.Error("no document links another: are links read as they are written?")
	}
}

var time0 = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
