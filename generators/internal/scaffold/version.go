package scaffold

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// Markers that decide how versions convert and which one is stored.
const (
	tagHub    = "k8s:conversion-gen"
	tagStored = "kubebuilder:storageversion"
)

// VersionConfig says which version to add.
type VersionConfig struct {
	Config
	// Version is the new one, Group that of a package that exists; "" for the only one.
	Version, Group string
}

// AddVersion copies the newest version of a group. Each of its kinds converts to the hub of the
// others, or to the version that is stored if there is none. That one stays the stored one, so that
// servers of the release before can read what servers of the next one write.
func AddVersion(c VersionConfig) (Result, error) {
	if err := checkVersion(c.Version); err != nil {
		return Result{}, err
	}
	p, err := Read(c.Root, c.Known)
	if err != nil {
		return Result{}, err
	}
	server, err := p.server()
	if err != nil {
		return Result{}, err
	}
	versions, err := p.group(c.Group)
	if err != nil {
		return Result{}, err
	}
	if slices.ContainsFunc(versions, func(a *model.API) bool { return a.Version == c.Version }) {
		return Result{}, fmt.Errorf("there is a version %s of %s already", c.Version, versions[0].Group)
	}
	newest := versions[len(versions)-1]
	plan := newPlan(p.Root)
	hub, err := p.planStored(plan, versions)
	if err != nil {
		return Result{}, err
	}
	if err := p.planCopy(plan, newest, c.Version, hub); err != nil {
		return Result{}, err
	}
	prog, _, err := p.program(server)
	if err != nil {
		return Result{}, err
	}
	left := []string{fmt.Sprintf("change the types of %s, which are a copy; where gen can't convert them it says which function to write", c.Version)}
	if hub != "" {
		left = append(left, fmt.Sprintf("objects stay stored in %s, which servers of the release before can read; docs/upgrading.md of Typeplane says how to store them in %s later", path.Base(hub), c.Version))
	}
	return p.run(c.Config, plan, left, "go tool gen "+prog.Patterns, "go test "+prog.Patterns)
}

// planStored has each kind of the newest version say that it is stored there, unless another
// version is stored, or a hub has the kind. It returns the import path of the newest version if any
// kind is stored there: the next one converts to it. "" stands for none.
func (p *Project) planStored(plan *plan, versions []*model.API) (hub string, err error) {
	newest := versions[len(versions)-1]
	kinds := slices.Clone(newest.Kinds)
	slices.SortFunc(kinds, func(a, b *model.Kind) int { return b.Pos.Line - a.Pos.Line }) // insertions move what is below
	for _, k := range kinds {
		if !k.Listed || !k.Stored && p.elsewhere(k, versions) {
			continue
		}
		if hub = newest.Path; k.Stored {
			continue
		}
		file, err := p.rel(k.Pos.Filename)
		if err != nil {
			return "", err
		}
		if err := plan.insert(file, k.Pos.Line, "+"+tagStored); err != nil {
			return "", err
		}
	}
	return hub, nil
}

// elsewhere says whether a kind of the newest version is stored in another one, or converts to a
// hub.
func (p *Project) elsewhere(k *model.Kind, versions []*model.API) bool {
	for _, api := range versions {
		if slices.ContainsFunc(api.Kinds, func(other *model.Kind) bool { return other.Name == k.Name && other.Stored }) {
			return true
		}
	}
	newest := p.set.Package(versions[len(versions)-1].Path)
	return slices.ContainsFunc(p.model.OfPackage(newest).Values(tagHub), func(path string) bool {
		hub := p.set.Package(path)
		return hub != nil && hub.Types.Types[k.Name] != nil
	})
}

// planCopy plans the files of a version: those that people wrote of another one.
func (p *Project) planCopy(plan *plan, from *model.API, version, hub string) error {
	to := filepath.Join(filepath.Dir(from.Dir), version)
	entries, err := os.ReadDir(from.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from.Dir, name))
		if err != nil {
			return err
		}
		if generatedFile.Match(text) || onlyBodies(from, name) {
			continue
		}
		path, err := p.rel(filepath.Join(to, name))
		if err != nil {
			return err
		}
		if err := plan.add(path, renamed(text, from.Version, version, hub)); err != nil {
			return err
		}
	}
	if hub != "" && !slices.ContainsFunc(slices.Collect(maps.Values(plan.files)), func(text []byte) bool { return strings.Contains(string(text), "+"+tagHub+"=") }) {
		return fmt.Errorf("no file of %s has +groupName, beside which +%s=%s belongs: write it into the comment of a package clause", from.Path, tagHub, hub)
	}
	return nil
}

// onlyBodies says that the kinds in a file, which is named without its folder, are sent to
// subresources and no more. Those of one version are enough.
func onlyBodies(api *model.API, file string) bool {
	bodies := false
	for _, k := range api.Kinds {
		if filepath.Base(k.Pos.Filename) != file {
			continue
		}
		if k.Listed {
			return false
		}
		bodies = true
	}
	return bodies
}

// generatedFile matches a file that a generator has printed.
var generatedFile = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

var (
	storedLine = regexp.MustCompile(`(?m)^[ \t]*// \+` + tagStored + `\n`)
	groupLine  = regexp.MustCompile(`(?m)^// \+groupName=`)
)

// renamed is the source of one version as another: the package clause, what comments and functions
// call the version, and the literal in a GroupVersion. Paths of imports stay as they are. It is not
// the stored version, and it converts to hub, unless that is "".
func renamed(text []byte, from, to, hub string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	prose := regexp.MustCompile(`(^|[^\w/.])` + from + `\b`)
	for i, line := range lines {
		switch comment := strings.TrimSpace(line); {
		case comment == "package "+from:
			lines[i] = strings.Replace(line, from, to, 1)
		case strings.HasPrefix(comment, "//") && !strings.HasPrefix(comment, "// +"):
			lines[i] = prose.ReplaceAllString(line, "${1}"+to)
		}
	}
	out := strings.NewReplacer("_"+from+"_", "_"+to+"_", `"`+from+`"`, `"`+to+`"`).Replace(strings.Join(lines, ""))
	out = storedLine.ReplaceAllString(out, "")
	if hub != "" {
		out = groupLine.ReplaceAllString(out, "// +"+tagHub+"="+hub+"\n$0")
	}
	return []byte(out)
}
