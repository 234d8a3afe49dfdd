package authorization

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/internal/review"
	"github.com/typeplane/typeplane/registry/rest"
)

// answers are the reviews by one authorizer.
type answers struct{ authorizer auth.Authorizer }

func (a answers) subject(ctx context.Context, _ rest.Name, r *authorizationv1.SubjectAccessReview) error {
	errs := append(review.NoMetadata(r.ObjectMeta), checkSpec(&r.Spec)...)
	if err := review.Invalid(authorizationv1.SchemeGroupVersion.WithKind("SubjectAccessReview").GroupKind(), errs); err != nil {
		return err
	}
	r.Status = a.decide(ctx, specUser(&r.Spec), r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	return nil
}

func (a answers) local(ctx context.Context, name rest.Name, r *authorizationv1.LocalSubjectAccessReview) error {
	errs := append(review.NoMetadata(r.ObjectMeta), checkSpec(&r.Spec)...)
	if what := r.Spec.ResourceAttributes; what != nil && what.Namespace != name.Namespace {
		errs = append(errs, field.Invalid(field.NewPath("spec", "resourceAttributes", "namespace"), what.Namespace, "must match metadata.namespace"))
	}
	if r.Spec.NonResourceAttributes != nil {
		errs = append(errs, field.Invalid(field.NewPath("spec", "nonResourceAttributes"), r.Spec.NonResourceAttributes, "disallowed on this kind of request"))
	}
	if err := review.Invalid(authorizationv1.SchemeGroupVersion.WithKind("LocalSubjectAccessReview").GroupKind(), errs); err != nil {
		return err
	}
	r.Status = a.decide(ctx, specUser(&r.Spec), r.Spec.ResourceAttributes, nil)
	return nil
}

func (a answers) self(ctx context.Context, _ rest.Name, r *authorizationv1.SelfSubjectAccessReview) error {
	errs := append(review.NoMetadata(r.ObjectMeta), checkAttributes(r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)...)
	if err := review.Invalid(authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview").GroupKind(), errs); err != nil {
		return err
	}
	r.Status = a.decide(ctx, auth.UserFrom(ctx), r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	return nil
}

func (a answers) decide(ctx context.Context, user *auth.User, resource *authorizationv1.ResourceAttributes, path *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	decision, reason, err := a.authorizer.Authorize(ctx, attributes(user, resource, path))
	status := authorizationv1.SubjectAccessReviewStatus{Allowed: decision == auth.Allow, Denied: decision == auth.Deny, Reason: reason}
	if err != nil {
		status.EvaluationError = err.Error()
	}
	return status
}

func specUser(spec *authorizationv1.SubjectAccessReviewSpec) *auth.User {
	u := &auth.User{Name: spec.User, UID: spec.UID, Groups: spec.Groups}
	for key, values := range spec.Extra {
		if u.Extra == nil {
			u.Extra = map[string][]string{}
		}
		u.Extra[key] = values
	}
	return u
}

func attributes(user *auth.User, r *authorizationv1.ResourceAttributes, p *authorizationv1.NonResourceAttributes) auth.Attributes {
	if r == nil {
		return auth.Attributes{User: user, Verb: p.Verb, Path: p.Path}
	}
	a := auth.Attributes{
		User: user, IsResource: true, Verb: r.Verb, Namespace: r.Namespace, Name: r.Name,
		Group: r.Group, Version: r.Version, Resource: r.Resource, Subresource: r.Subresource,
	}
	if f := r.FieldSelector; f != nil {
		a.FieldSelector = fieldSelector(f)
	}
	if l := r.LabelSelector; l != nil {
		a.LabelSelector = labelSelector(l)
	}
	return a
}

// fieldSelector is a selector as in a query. What no query can say is left out, which makes the
// request wider, never narrower.
func fieldSelector(f *authorizationv1.FieldSelectorAttributes) string {
	if f.RawSelector != "" {
		return f.RawSelector
	}
	var terms []fields.Selector
	for _, r := range f.Requirements {
		switch {
		case r.Operator == metav1.FieldSelectorOpIn && len(r.Values) == 1:
			terms = append(terms, fields.OneTermEqualSelector(r.Key, r.Values[0]))
		case r.Operator == metav1.FieldSelectorOpNotIn && len(r.Values) == 1:
			terms = append(terms, fields.OneTermNotEqualSelector(r.Key, r.Values[0]))
		}
	}
	return fields.AndSelectors(terms...).String()
}

func labelSelector(l *authorizationv1.LabelSelectorAttributes) string {
	if l.RawSelector != "" {
		return l.RawSelector
	}
	selector, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: l.Requirements})
	if err != nil {
		selector = labels.Everything()
	}
	return selector.String()
}

func checkSpec(spec *authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	errs := checkAttributes(spec.ResourceAttributes, spec.NonResourceAttributes)
	if spec.User == "" && len(spec.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), spec.User, "at least one of user or group must be specified"))
	}
	return errs
}

func checkAttributes(r *authorizationv1.ResourceAttributes, p *authorizationv1.NonResourceAttributes) field.ErrorList {
	path := field.NewPath("spec")
	switch {
	case r != nil && p != nil:
		return field.ErrorList{field.Invalid(path.Child("nonResourceAttributes"), p, "cannot be specified in combination with resourceAttributes")}
	case r == nil && p == nil:
		return field.ErrorList{field.Invalid(path.Child("resourceAttributes"), p, "exactly one of nonResourceAttributes or resourceAttributes must be specified")}
	}
	return nil
}
