package delegated

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/auth"
)

// Paths allows everybody whom we know to have some paths that are no resources, and has no opinion
// about all else: nobody needs to be asked about a health check.
type Paths struct {
	exact    map[string]bool
	prefixes []string
}

var (
	_ auth.Authorizer = (*Paths)(nil)
	_ auth.RuleLister = (*Paths)(nil)
)

// NewPaths takes paths, and prefixes that end in a star. The slash at the beginning may be missing.
func NewPaths(paths []string) (*Paths, error) {
	p := &Paths{exact: map[string]bool{}}
	var errs []error
	for _, path := range paths {
		prefix, isPrefix := strings.CutSuffix("/"+strings.TrimPrefix(path, "/"), "*")
		switch {
		case strings.TrimPrefix(path, "/") == "":
			errs = append(errs, fmt.Errorf("%q: want a path like /metrics, or a prefix like /debug/*", path))
		case strings.Contains(prefix, "*"):
			errs = append(errs, fmt.Errorf("%q: a star can only be the last sign", path))
		case isPrefix:
			p.prefixes = append(p.prefixes, prefix)
		default:
			p.exact[prefix] = true
		}
	}
	return p, errors.Join(errs...)
}

// Authorize never fails.
func (p *Paths) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.IsResource {
		return auth.NoOpinion, "", nil
	}
	if p.exact[a.Path] {
		return auth.Allow, "", nil
	}
	for _, prefix := range p.prefixes {
		if strings.HasPrefix(a.Path, prefix) {
			return auth.Allow, "", nil
		}
	}
	return auth.NoOpinion, "", nil
}

// RulesFor returns the paths.
func (p *Paths) RulesFor(context.Context, *auth.User, string) ([]auth.Rule, bool, error) {
	rule := auth.Rule{Verbs: []string{"*"}, Paths: slices.Sorted(maps.Keys(p.exact))}
	for _, prefix := range p.prefixes {
		rule.Paths = append(rule.Paths, prefix+"*")
	}
	if len(rule.Paths) == 0 {
		return nil, false, nil
	}
	return []auth.Rule{rule}, false, nil
}
