package authorization

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// rules lists what who asks may do in a namespace.
func (a answers) rules(ctx context.Context, _ rest.Name, r *authorizationv1.SelfSubjectRulesReview) error {
	if r.Spec.Namespace == "" {
		return apierrors.NewBadRequest("no namespace on request")
	}
	r.Status = authorizationv1.SubjectRulesReviewStatus{ResourceRules: []authorizationv1.ResourceRule{}, NonResourceRules: []authorizationv1.NonResourceRule{}, Incomplete: true}
	lister, ok := a.authorizer.(auth.RuleLister)
	if !ok {
		r.Status.EvaluationError = "the authorizer of this server can't list what it allows"
		return nil
	}
	rules, incomplete, err := lister.RulesFor(ctx, auth.UserFrom(ctx), r.Spec.Namespace)
	if r.Status.Incomplete = incomplete; err != nil {
		r.Status.EvaluationError = err.Error()
	}
	for _, rule := range rules {
		if len(rule.Paths) > 0 {
			r.Status.NonResourceRules = append(r.Status.NonResourceRules, authorizationv1.NonResourceRule{Verbs: rule.Verbs, NonResourceURLs: rule.Paths})
			continue
		}
		r.Status.ResourceRules = append(r.Status.ResourceRules, authorizationv1.ResourceRule{Verbs: rule.Verbs, APIGroups: rule.Groups, Resources: rule.Resources, ResourceNames: rule.Names})
	}
	return nil
}
