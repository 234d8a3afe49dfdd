package lifecycle

import (
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName  = "zz_generated.prerelease-lifecycle.go"
	generator = "prerelease-lifecycle-gen"

	genTag         = "k8s:prerelease-lifecycle-gen"
	introducedTag  = genTag + ":introduced"
	deprecatedTag  = genTag + ":deprecated"
	removedTag     = genTag + ":removed"
	replacementTag = genTag + ":replacement"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "prerelease-lifecycle",
		Doc:  "the releases in which kinds came, are deprecated and go (zz_generated.prerelease-lifecycle.go)",
		Tags: []tag.Definition{
			{Name: genTag, Scope: tag.Package | tag.Type, Value: tag.Bool,
				Doc: "Above a package: generates the releases of its kinds, all of which then need :introduced; false above a type leaves it out. Like +k8s:prerelease-lifecycle-gen=true."},
			{Name: introducedTag, Scope: tag.Type, Value: tag.String,
				Doc: "The release that a kind came with, as major.minor, like +k8s:prerelease-lifecycle-gen:introduced=1.30."},
			{Name: deprecatedTag, Scope: tag.Type, Value: tag.String,
				Doc: "The release that a kind is deprecated in, like +k8s:prerelease-lifecycle-gen:deprecated=1.33; by default three minor releases after :introduced, and never for a version like v1."},
			{Name: removedTag, Scope: tag.Type, Value: tag.String,
				Doc: "The release that no longer serves a kind, like +k8s:prerelease-lifecycle-gen:removed=1.36; by default three minor releases after :deprecated, and never for a version like v1."},
			{Name: replacementTag, Scope: tag.Type, Value: tag.String,
				Doc: "The group, version and kind to use instead, like +k8s:prerelease-lifecycle-gen:replacement=apps,v1,Deployment; the group may be empty."},
		},
		Outputs: []emit.Output{{Name: fileName, Generator: generator}},
		Generate: func(pass *generators.Pass) {
			p := planner{model: pass.Model, report: pass.Report}
			for _, pkg := range pass.Packages {
				if lives := p.plan(pkg); len(lives) > 0 {
					print(pass.File(pkg, fileName, generator), lives)
				}
			}
		},
	}
}

// release is a version of the server.
type release struct{ major, minor int }

// later is so many minor releases after r.
func (r release) later(minors int) *release { return &release{r.major, r.minor + minors} }

// life is what is printed for a kind: a method for each field that is not nil.
type life struct {
	name        string
	introduced  *release
	deprecated  *release
	removed     *release
	replacement *replacement
}

// replacement is what to use instead of a kind.
type replacement struct{ group, version, kind string }

type planner struct {
	model  *model.Model
	report *diag.Report
}

// stable are the versions that stay for good, unless a tag says otherwise.
var stable = regexp.MustCompile(`^v\d+$`)

// plan returns the kinds of a package that asks for it, sorted by name; nil for all others.
func (p *planner) plan(pkg *model.Package) []life {
	if value, asked := p.model.OfPackage(pkg).Last(genTag); !asked || value == "false" {
		return nil
	}
	var out []life
	for _, t := range pkg.Types.Types {
		if l := p.life(t, stable.MatchString(path.Base(pkg.Path))); l != nil {
			out = append(out, *l)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}

// life reads the tags of a type; nil if it is no kind, is left out, has a problem, or has all
// methods already.
func (p *planner) life(t *types.Type, stable bool) *life {
	markers := p.model.OfType(t)
	if own, _ := markers.Last(genTag); own == "false" || !isKind(t) {
		return nil
	}
	if !markers.Has(introducedTag) {
		p.problem(t, fmt.Sprintf("is a kind of a package with +%s, and nothing says which release it came with", genTag),
			fmt.Sprintf("add +%s=1.0, or +%s=false to leave the kind out", introducedTag, genTag))
		return nil
	}
	introduced := p.release(t, markers, introducedTag)
	if introduced == nil {
		return nil
	}
	l := &life{name: t.Name.Name, introduced: introduced, replacement: p.replacement(t, markers)}
	deprecated := introduced.later(3)
	if markers.Has(deprecatedTag) {
		if deprecated = p.release(t, markers, deprecatedTag); deprecated == nil {
			return nil
		}
		l.deprecated = deprecated
	} else if !stable {
		l.deprecated = deprecated
	}
	if markers.Has(removedTag) {
		l.removed = p.release(t, markers, removedTag)
	} else if !stable {
		l.removed = deprecated.later(3)
	}
	p.checkOrder(t, l)
	p.leaveOutMethods(t, l)
	if *l == (life{name: l.name}) {
		return nil
	}
	return l
}

// isKind says whether a type can be seen from outside and embeds TypeMeta.
func isKind(t *types.Type) bool {
	return t.Kind == types.Struct && token.IsExported(t.Name.Name) && !strings.Contains(t.Name.Name, "[") &&
		slices.ContainsFunc(t.Members, func(m types.Member) bool { return m.Embedded && m.Name == "TypeMeta" })
}

// release reads one tag of the form name=major.minor; nil if that can't be read.
func (p *planner) release(t *types.Type, markers model.Markers, name string) *release {
	text, ok := p.single(t, markers, name)
	if !ok {
		return nil
	}
	major, minor, _ := strings.Cut(text, ".")
	r := release{number(major), number(minor)}
	if r.major < 0 || r.minor < 0 {
		p.problem(t, fmt.Sprintf("+%s=%s: %q is not a release", name, text, text), fmt.Sprintf("want major.minor, like +%s=1.30", name))
		return nil
	}
	return &r
}

// number is a decimal number, -1 for anything else.
func number(text string) int {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// single is the value of a tag that may be there once.
func (p *planner) single(t *types.Type, markers model.Markers, name string) (string, bool) {
	values := markers.Values(name)
	if len(values) > 1 {
		p.problem(t, fmt.Sprintf("+%s is there %d times, with %s", name, len(values), strings.Join(values, " and ")), "keep one")
	}
	return strings.TrimSuffix(values[0], ","), len(values) == 1
}

// replacement reads the tag that says what to use instead; nil if there is none.
func (p *planner) replacement(t *types.Type, markers model.Markers) *replacement {
	if !markers.Has(replacementTag) {
		return nil
	}
	text, ok := p.single(t, markers, replacementTag)
	if !ok {
		return nil
	}
	wrong := func(message string) *replacement {
		p.problem(t, fmt.Sprintf("+%s=%s: %s", replacementTag, text, message),
			fmt.Sprintf("want group,version,Kind, like +%s=apps,v1,Deployment", replacementTag))
		return nil
	}
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return wrong(fmt.Sprintf("these are %d parts and not three", len(parts)))
	}
	r := replacement{parts[0], parts[1], parts[2]}
	switch {
	case strings.ToLower(r.group) != r.group:
		return wrong(fmt.Sprintf("the group %q is not lower case", r.group))
	case !strings.HasPrefix(r.version, "v") || strings.ToLower(r.version) != r.version:
		return wrong(fmt.Sprintf("the version %q is not like v1beta1", r.version))
	case !token.IsExported(r.kind):
		return wrong(fmt.Sprintf("the kind %q does not begin with a capital", r.kind))
	}
	return &r
}

// checkOrder reports releases that come in the wrong order.
func (p *planner) checkOrder(t *types.Type, l *life) {
	before := func(first, second *release) bool {
		return first != nil && second != nil && (second.major < first.major || second.major == first.major && second.minor < first.minor)
	}
	for _, pair := range []struct {
		early, late *release
		what        string
	}{
		{l.introduced, l.deprecated, "deprecated in %d.%d, which is before it comes in %d.%d"},
		{l.introduced, l.removed, "removed in %d.%d, which is before it comes in %d.%d"},
		{l.deprecated, l.removed, "removed in %d.%d, which is before it is deprecated in %d.%d"},
	} {
		if before(pair.early, pair.late) {
			p.problem(t, "it is "+fmt.Sprintf(pair.what, pair.late.major, pair.late.minor, pair.early.major, pair.early.minor),
				"put the releases in order: introduced, deprecated, removed")
			return
		}
	}
}

// leaveOutMethods keeps what the package has written by hand.
func (p *planner) leaveOutMethods(t *types.Type, l *life) {
	byHand := func(name string) bool { return t.Methods[name] != nil }
	if byHand("APILifecycleIntroduced") {
		l.introduced = nil
	}
	if byHand("APILifecycleDeprecated") {
		l.deprecated = nil
	}
	if byHand("APILifecycleRemoved") {
		l.removed = nil
	}
	if byHand("APILifecycleReplacement") {
		l.replacement = nil
	}
}

func (p *planner) problem(t *types.Type, message, cure string) {
	p.report.Add(diag.Problem{Pos: p.model.TypePos(t), Path: t.Name.Name, Message: message, Cure: cure})
}
