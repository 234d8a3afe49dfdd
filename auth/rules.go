package auth

import (
	"context"
	"errors"
)

// Rule is something that a user may do: Verbs on Resources of Groups, only on those with Names if
// there are some; or Verbs on Paths. "*" is all.
type Rule struct {
	Verbs     []string
	Groups    []string
	Resources []string
	Names     []string
	Paths     []string
}

// RuleLister is an Authorizer that can say what it would allow. incomplete says that it may allow
// more than that. It must be safe for concurrent use.
type RuleLister interface {
	RulesFor(ctx context.Context, user *User, namespace string) (rules []Rule, incomplete bool, err error)
}

var (
	_ RuleLister = Masters{}
	_ RuleLister = Everybody{}
	_ RuleLister = Authorizers(nil)
)

// everything are the rules of a user who may do all.
func everything() []Rule {
	all := []string{"*"}
	return []Rule{{Verbs: all, Groups: all, Resources: all}, {Verbs: all, Paths: all}}
}

// RulesFor returns everything for members of system:masters.
func (Masters) RulesFor(_ context.Context, user *User, _ string) ([]Rule, bool, error) {
	if user.In(GroupMasters) {
		return everything(), false, nil
	}
	return nil, false, nil
}

// RulesFor returns everything.
func (Everybody) RulesFor(context.Context, *User, string) ([]Rule, bool, error) {
	return everything(), false, nil
}

// RulesFor joins what all have to say. Those who can't say leave it incomplete.
func (list Authorizers) RulesFor(ctx context.Context, user *User, namespace string) ([]Rule, bool, error) {
	var all []Rule
	var errs []error
	unsure := false
	for _, next := range list {
		lister, ok := next.(RuleLister)
		if !ok {
			unsure = true
			continue
		}
		rules, incomplete, err := lister.RulesFor(ctx, user, namespace)
		all, unsure = append(all, rules...), unsure || incomplete
		errs = append(errs, err)
	}
	return all, unsure, errors.Join(errs...)
}
