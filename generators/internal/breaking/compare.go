package breaking

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// comparer compares one state with another.
type comparer struct {
	ref             string
	problems, notes diag.Report
	alpha           bool // whether the version being compared promises nothing
	seen            map[pair]bool
}

// pair are a type then and now. A type that several kinds have is told of once, of each version's
// promise.
type pair struct {
	old, now *model.Type
	alpha    bool
}

// add reports a change. pos is of now; old, if it is known, where the thing was then.
func (c *comparer) add(pos, old token.Position, path, message, cure string) {
	if old.IsValid() {
		message += fmt.Sprintf(" (%s:%d in %s)", c.file(old), old.Line, c.ref)
	}
	report := &c.problems
	if c.alpha {
		report = &c.notes
	}
	report.Add(diag.Problem{Pos: pos, Path: path, Message: message, Cure: cure})
}

// file names a file of then as it was called then.
func (c *comparer) file(old token.Position) string { return old.Filename }

var version = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// promises nothing: an alpha version, however exactly it is called.
func isAlpha(api *model.API) bool {
	return strings.Contains(api.Version, "alpha")
}

// isHub tells whether a version is one that only the server sees.
func isHub(api *model.API) bool {
	return api.Version == "__internal" || !version.MatchString(api.Version) && !strings.ContainsAny(api.Version, "0123456789")
}

func (c *comparer) apis(then, now []*model.API) {
	for _, old := range then {
		if isHub(old) {
			continue
		}
		c.alpha = isAlpha(old)
		i := slices.IndexFunc(now, func(api *model.API) bool { return api.Group == old.Group && api.Version == old.Version })
		if i < 0 {
			c.add(nearest(now, old), old.Pos, groupVersion(old), "the version is gone", "keep serving it for as long as clients may use it")
			continue
		}
		c.kinds(old, now[i])
	}
}

// nearest is a place of now for what is gone: another version of the group.
func nearest(now []*model.API, old *model.API) token.Position {
	for _, api := range now {
		if api.Group == old.Group {
			return api.Pos
		}
	}
	return token.Position{}
}

func groupVersion(api *model.API) string {
	if api.Group == "" {
		return api.Version
	}
	return api.Group + "/" + api.Version
}

func (c *comparer) kinds(then, now *model.API) {
	for _, old := range then.Kinds {
		i := slices.IndexFunc(now.Kinds, func(k *model.Kind) bool { return k.Name == old.Name })
		if i < 0 {
			c.add(now.Pos, old.Pos, groupVersion(now), "the kind "+old.Name+" is gone", "keep it for as long as clients may use it")
			continue
		}
		c.kind(old, now.Kinds[i])
		c.types(old.Type, now.Kinds[i].Type)
	}
}

// kind compares how a kind is served.
func (c *comparer) kind(old, now *model.Kind) {
	say := func(message, cure string) { c.add(now.Pos, token.Position{}, now.Name, message, cure) }
	if !old.Served {
		return // nobody could use it
	}
	if !now.Served {
		say("the version is no longer served", "take +kubebuilder:unservedversion away")
	}
	if old.Plural != now.Plural {
		say(fmt.Sprintf("the resource is called %s, and was called %s", now.Plural, old.Plural), "say +kubebuilder:resource:path="+old.Plural)
	}
	if old.Singular != now.Singular {
		say(fmt.Sprintf("one of it is called %s, and was called %s", now.Singular, old.Singular), "say +kubebuilder:resource:singular="+old.Singular)
	}
	if old.Namespaced != now.Namespaced {
		scope := map[bool]string{true: "Namespaced", false: "Cluster"}
		say(fmt.Sprintf("the scope is %s, and was %s", scope[now.Namespaced], scope[old.Namespaced]), "the scope of a kind can't change: make a new kind")
	}
	for _, name := range without(old.ShortNames, now.ShortNames) {
		say("the short name "+name+" is gone", "keep it among shortName=")
	}
	for _, name := range without(old.Categories, now.Categories) {
		say("it is no longer in the category "+name, "keep it among categories=")
	}
	if old.Status && !now.Status {
		say("the status subresource is gone", "keep +kubebuilder:subresource:status")
	}
	if !old.Status && now.Status {
		say("the status has become a subresource: whoever writes it with the object no longer does", "make it one in a new version")
	}
	if old.Scale && !now.Scale {
		say("the scale subresource is gone", "keep +kubebuilder:subresource:scale")
	}
	for _, name := range without(old.Subresources, now.Subresources) {
		say("the subresource "+name+" is gone", "keep +typeplane:subresource:name="+name)
	}
	for _, field := range without(old.Selectable, now.Selectable) {
		say("field selectors can no longer name "+field, "keep the tag, or say +typeplane:selectablefield:name="+field+" with the path that it has now")
	}
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}
