package generators

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"k8s.io/gengo/v2/types"
)

// unclaimed reports the markers that no plug-in acts on although one of the run could: somebody
// wrote them for an effect that they don't have. Such a marker is a problem on a served kind, on
// what that is made of, and on its package. Where controller-gen passes over it, or another tool
// wrote it, it is a warning. Elsewhere it is one, too, for tags of types and packages, if one of
// the plug-ins prints for the package. If there are other problems nothing is said, since a plug-in
// that stopped there has not come to all markers.
func unclaimed(m *model.Model, served served, printed printed, table *tag.Table, report *diag.Report) {
	if report.Stops() {
		return
	}
	for _, pkg := range m.Packages {
		occurrences := m.Occurrences(pkg)
		for i, o := range slices.Concat(occurrences, m.ForeignOccurrences(pkg)) {
			foreign := i >= len(occurrences)
			if o.Trailing || m.Copies(pkg) && len(o.Readers()) > 0 { // the markers of Kubernetes' own types describe them
				continue
			}
			isServed := served.has(pkg, o)
			d, _ := table.Find(tag.NameOf(o.Text))
			if !isServed && (foreign || o.Scope&(tag.Package|tag.Type) == 0 || d.Scope&tag.Field != 0) {
				continue // prose that speaks of the tag, or it describes a type that nobody asked for
			}
			acting := slices.DeleteFunc(table.Acting(tag.NameOf(o.Text)), func(plugin string) bool {
				in, runs := printed[plugin]
				return !runs || !isServed && !in[pkg.Path] && !m.Serves(pkg)
			})
			if len(acting) == 0 || granted(m, pkg, o) || slices.ContainsFunc(o.Readers(), func(r string) bool { return slices.Contains(acting, r) }) {
				continue
			}
			p := diag.Problem{Pos: o.Pos, Path: o.Path, Idle: true}
			if text := strings.TrimSpace(o.Text); d.Value == tag.None && text != "+"+d.Name {
				p.Message, p.Cure = text+" is not read, since it takes nothing behind its name", "write +"+d.Name
			} else {
				p.Message, p.Cure = fmt.Sprintf("+%s has no effect here", tag.NameOf(o.Text)), "take it away, or "+switchedOff(occurrences, o, acting, table)
			}
			if isServed && !foreign && !elsewhere(pkg, o, acting) {
				report.Add(p)
			} else {
				report.Warn(p)
			}
		}
	}
}

// granted tells whether a marker asks that nothing is printed for an alias, for which nothing is:
// it is another name, and no kind.
func granted(m *model.Model, pkg *model.Package, o model.Occurrence) bool {
	return o.Text == "+"+tag.NameOf(o.Text)+"=false" && slices.ContainsFunc(pkg.Aliases, func(a model.Alias) bool { return a.Name == o.Path && !m.IsKind(a) })
}

// elsewhere tells whether a marker stands where controller-gen does not look either. Whoever wrote
// it knows no other effect. That is a list of a kind, of which there is no schema, and for a marker
// of kinds a struct that is none.
func elsewhere(pkg *model.Package, o model.Occurrence, acting []string) bool {
	owner, field, _ := strings.Cut(o.Path, ".")
	t := pkg.Types.Types[owner]
	if t == nil || !controllerGens(tag.NameOf(o.Text)) {
		return false
	}
	ofKinds := field == "" && !slices.ContainsFunc(acting, func(plugin string) bool { return plugin != "apiserver" && plugin != "crd" })
	return model.Embeds(t, "ListMeta") || ofKinds && !model.Embeds(t, "TypeMeta")
}

// controllerGens tells whether a tag is one that controller-gen reads, or would if it stood
// elsewhere.
func controllerGens(name string) bool {
	return strings.HasPrefix(name, "kubebuilder:") || !tag.Checked(name)
}

// switchedOff says what would have the plug-ins act on a marker: most likely another marker has
// switched one of them off.
func switchedOff(occurrences []model.Occurrence, o model.Occurrence, acting []string, table *tag.Table) string {
	owner, _, _ := strings.Cut(o.Path, ".")
	for _, other := range occurrences {
		name := tag.NameOf(other.Text)
		if other.Text != "+"+name+"=false" || other.Path != "" && other.Path != owner {
			continue
		}
		if slices.ContainsFunc(table.Acting(name), func(plugin string) bool { return slices.Contains(acting, plugin) }) {
			return fmt.Sprintf("take away the %s at %s:%d", other.Text, filepath.Base(other.Pos.Filename), other.Pos.Line)
		}
	}
	return "say it where " + strings.Join(acting, " and ") + " can act on it"
}

// printed are the packages that each plug-in of a run has printed files for.
type printed map[string]map[string]bool

func (p printed) add(plugin string, files []*emit.File) {
	p[plugin] = map[string]bool{}
	for _, f := range files {
		p[plugin][f.PkgPath] = true
	}
}

// served are the kinds that servers of the run serve, and the declared types that they are made of.
// A package of such kinds is in it as a type without a name.
type served map[types.Name]bool

// has tells whether a marker is about something that is served.
func (s served) has(pkg *model.Package, o model.Occurrence) bool {
	owner, _, _ := strings.Cut(o.Path, ".")
	return (owner != "" || o.Scope == tag.Package) && s[types.Name{Package: pkg.Path, Name: owner}]
}

func findServed(m *model.Model) served {
	out := served{}
	var visit func(t *types.Type)
	visit = func(t *types.Type) {
		if t == nil || t.Name.Package != "" && out[t.Name] {
			return
		}
		if t.Name.Package != "" {
			if pkg := m.Package(t.Name.Package); pkg == nil || !pkg.Main {
				return
			}
			out[t.Name] = true
		}
		visit(t.Elem)
		visit(t.Key)
		visit(t.Underlying)
		for _, member := range t.Members {
			if !model.JSONOf(member).Left {
				visit(member.Type)
			}
		}
	}
	for _, pkg := range m.All() {
		if !m.Serves(pkg) {
			continue
		}
		out[types.Name{Package: pkg.Path}] = true
		for _, t := range pkg.Types.Types {
			if model.Embeds(t, "TypeMeta") && (model.Embeds(t, "ObjectMeta") || model.Embeds(t, "ListMeta")) {
				visit(t)
			}
		}
		for _, a := range pkg.Aliases { // what is said of an alias that is no kind holds for nothing
			out[types.Name{Package: pkg.Path, Name: a.Name}] = true
		}
	}
	return out
}
