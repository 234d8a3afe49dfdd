package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// plan says which modules are released, those first that others require.
type plan struct {
	version string
	branch  string // of the clone that the release is made in
	proxy   string // a folder that gets the tagged modules, as a module proxy has them
	modules []module
}

// module is one that is released, in a folder of the repository.
type module struct {
	folder, path string
	requires     []string // paths of modules of this repository
}

// tagOf is the tag by which the go command knows a version of the module.
func (m module) tagOf(version string) string {
	if m.folder == "." {
		return version
	}
	return m.folder + "/" + version
}

// newPlan reads hack/modules.txt and the requirements of the modules that it calls released.
func newPlan(root, version string) (*plan, error) {
	if semver.Canonical(version) != version || version == "" || semver.Build(version) != "" {
		return nil, fmt.Errorf("--version=%s: want a semantic version, like v0.1.0 or v0.2.0-rc.1", version)
	}
	if semver.Major(version) != "v0" && semver.Major(version) != "v1" {
		return nil, fmt.Errorf("--version=%s: from v2 on the paths of all modules end in %s, and none does", version, semver.Major(version))
	}
	text, err := os.ReadFile(filepath.Join(root, "hack", "modules.txt"))
	if err != nil {
		return nil, err
	}
	p := &plan{version: version}
	above := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 2 || words[1] != "released" {
			continue
		}
		m, err := readModule(root, words[0], above)
		if err != nil {
			return nil, err
		}
		above[m.path] = true
		p.modules = append(p.modules, m)
	}
	if len(p.modules) == 0 {
		return nil, errors.New("hack/modules.txt names no released module")
	}
	return p, nil
}

func readModule(root, folder string, above map[string]bool) (module, error) {
	name := filepath.Join(root, folder, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return module{}, err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return module{}, err
	}
	m := module{folder: folder, path: file.Module.Mod.Path}
	for _, r := range file.Require {
		if above[r.Mod.Path] {
			m.requires = append(m.requires, r.Mod.Path)
		}
	}
	return m, nil
}

func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Release %s. The section Unreleased of CHANGELOG.md gets its name. Then, in this order:\n\n", p.version)
	for _, m := range p.modules {
		fmt.Fprintf(&b, "  %-16s tag %s", m.folder, m.tagOf(p.version))
		if len(m.requires) > 0 {
			fmt.Fprintf(&b, ", after a commit by which it requires %s", strings.Join(m.requires, ", "))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nA last commit has the modules replaced by their folders again.\n")
	return b.String()
}

// releaseBranch is where the commits of the release are, in the repository that it was made from.
func (p *plan) releaseBranch() string { return "release-" + p.version }

// publish are the commands that only people run.
func (p *plan) publish() []string {
	tags := make([]string, len(p.modules))
	for i, m := range p.modules {
		tags[i] = m.tagOf(p.version)
	}
	return []string{
		"git merge --ff-only " + p.releaseBranch(),
		"git push --atomic origin HEAD " + strings.Join(tags, " "),
		"attach bin/release/" + p.version + "/* to the release, with NOTES.md as its text",
	}
}
