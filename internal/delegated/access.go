package delegated

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/typeplane/typeplane/auth"
)

// maxQuestion bounds what a client can have remembered, in bytes of what it may choose of a
// question itself.
const maxQuestion = 10000

// Access decides by asking for a SubjectAccessReview. It is safe for concurrent use.
type Access struct {
	client *Client
	path   string
	cache  *cache[authorizationv1.SubjectAccessReviewStatus]
}

var _ auth.Authorizer = (*Access)(nil)

// NewAccess asks the cluster that client reaches. A yes is good for allowTTL, everything else for
// denyTTL.
func NewAccess(client *Client, allowTTL, denyTTL time.Duration) *Access {
	return newAccess(client, "/apis/authorization.k8s.io/v1/subjectaccessreviews", allowTTL, denyTTL)
}

// NewAccessWebhook is NewAccess for a webhook at the client's URL.
func NewAccessWebhook(client *Client, allowTTL, denyTTL time.Duration) *Access {
	return newAccess(client, "", allowTTL, denyTTL)
}

func newAccess(client *Client, path string, allowTTL, denyTTL time.Duration) *Access {
	return &Access{client: client, path: path, cache: newCache(func(s authorizationv1.SubjectAccessReviewStatus) time.Duration {
		if s.Allowed && !s.Denied {
			return allowTTL
		}
		return denyTTL
	})}
}

var errBoth = errors.New("delegated: SubjectAccessReview: the answer is yes and no")

// Authorize has no opinion, and an error, if there was no answer.
func (x *Access) Authorize(ctx context.Context, a auth.Attributes) (auth.Decision, string, error) {
	spec := question(a)
	ask := func(ctx context.Context) (authorizationv1.SubjectAccessReviewStatus, error) {
		return x.review(ctx, spec)
	}
	var status authorizationv1.SubjectAccessReviewStatus
	var err error
	if chosen(a) > maxQuestion {
		status, err = ask(ctx)
	} else {
		status, err = x.cache.get(ctx, spec, ask)
	}
	switch {
	case err != nil:
		return auth.NoOpinion, "", fmt.Errorf("delegated: SubjectAccessReview: %w", err)
	case status.Allowed && status.Denied:
		return auth.Deny, status.Reason, errBoth
	case status.Denied:
		return auth.Deny, status.Reason, nil
	case status.Allowed:
		return auth.Allow, status.Reason, nil
	}
	return auth.NoOpinion, status.Reason, nil
}

func (x *Access) review(ctx context.Context, spec authorizationv1.SubjectAccessReviewSpec) (authorizationv1.SubjectAccessReviewStatus, error) {
	in := authorizationv1.SubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"},
		Spec:     spec,
	}
	var out authorizationv1.SubjectAccessReview
	if err := x.client.call(ctx, http.MethodPost, x.path, in, &out); err != nil {
		return out.Status, err
	}
	return out.Status, checkAnswer(in.TypeMeta, out.TypeMeta)
}

func chosen(a auth.Attributes) int {
	return len(a.Group) + len(a.Version) + len(a.Resource) + len(a.Subresource) + len(a.Namespace) + len(a.Name) +
		len(a.Path) + len(a.FieldSelector) + len(a.LabelSelector)
}

// question puts attributes into the words of a review. Nobody is a user without a name and groups.
func question(a auth.Attributes) authorizationv1.SubjectAccessReviewSpec {
	var spec authorizationv1.SubjectAccessReviewSpec
	if a.User != nil {
		spec.User, spec.UID, spec.Groups = a.User.Name, a.User.UID, a.User.Groups
		for key, values := range a.User.Extra {
			if spec.Extra == nil {
				spec.Extra = map[string]authorizationv1.ExtraValue{}
			}
			spec.Extra[key] = values
		}
	}
	if !a.IsResource {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: a.Path, Verb: a.Verb}
		return spec
	}
	spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
		Namespace: a.Namespace, Verb: a.Verb, Group: a.Group, Version: a.Version,
		Resource: a.Resource, Subresource: a.Subresource, Name: a.Name,
		FieldSelector: fieldRequirements(a.FieldSelector), LabelSelector: labelRequirements(a.LabelSelector),
	}
	return spec
}

// fieldRequirements are what is asked for by fields. A selector that can't be read narrows nothing,
// so it is left out: the answer is then about all objects.
func fieldRequirements(text string) *authorizationv1.FieldSelectorAttributes {
	selector, err := fields.ParseSelector(text)
	if err != nil || selector.Empty() {
		return nil
	}
	out := &authorizationv1.FieldSelectorAttributes{}
	for _, r := range selector.Requirements() {
		operator := metav1.FieldSelectorOpIn
		if r.Operator == selection.NotEquals {
			operator = metav1.FieldSelectorOpNotIn
		}
		out.Requirements = append(out.Requirements, metav1.FieldSelectorRequirement{Key: r.Field, Operator: operator, Values: []string{r.Value}})
	}
	return out
}

// labelOperators are those that a review can say; what it cannot narrows nothing.
var labelOperators = map[selection.Operator]metav1.LabelSelectorOperator{
	selection.In: metav1.LabelSelectorOpIn, selection.Equals: metav1.LabelSelectorOpIn, selection.DoubleEquals: metav1.LabelSelectorOpIn,
	selection.NotIn: metav1.LabelSelectorOpNotIn, selection.NotEquals: metav1.LabelSelectorOpNotIn,
	selection.Exists: metav1.LabelSelectorOpExists, selection.DoesNotExist: metav1.LabelSelectorOpDoesNotExist,
}

func labelRequirements(text string) *authorizationv1.LabelSelectorAttributes {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil
	}
	var out []metav1.LabelSelectorRequirement
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if operator, ok := labelOperators[r.Operator()]; ok {
			out = append(out, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: operator, Values: r.Values().List()})
		}
	}
	if len(out) == 0 {
		return nil
	}
	return &authorizationv1.LabelSelectorAttributes{Requirements: out}
}
