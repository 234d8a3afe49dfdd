package expression

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/typeplane/typeplane/auth"
)

// asker answers what expressions ask of the authorizer of the server, for as long as they may take.
type asker struct {
	ctx context.Context
	of  auth.Authorizer // nil allows nobody anything
}

// Authorize is called without a context worth the name.
func (a asker) Authorize(_ context.Context, about authorizer.Attributes) (authorizer.Decision, string, error) {
	if a.of == nil {
		return authorizer.DecisionNoOpinion, "", nil
	}
	decision, reason, err := a.of.Authorize(a.ctx, attributesOf(about))
	switch decision {
	case auth.Allow:
		return authorizer.DecisionAllow, reason, err
	case auth.Deny:
		return authorizer.DecisionDeny, reason, err
	}
	return authorizer.DecisionNoOpinion, reason, err
}

func attributesOf(about authorizer.Attributes) auth.Attributes {
	of := about.GetUser()
	a := auth.Attributes{
		User: &auth.User{Name: of.GetName(), UID: of.GetUID(), Groups: of.GetGroups(), Extra: of.GetExtra()},
		Verb: about.GetVerb(), Path: about.GetPath(), IsResource: about.IsResourceRequest(),
	}
	if !a.IsResource {
		return a
	}
	a.Group, a.Version, a.Resource, a.Subresource = about.GetAPIGroup(), about.GetAPIVersion(), about.GetResource(), about.GetSubresource()
	a.Namespace, a.Name, a.Path = about.GetNamespace(), about.GetName(), ""
	// A selector that can't be read is left out, which makes the question wider, never narrower.
	if wanted, err := about.GetFieldSelector(); err == nil && len(wanted) > 0 {
		a.FieldSelector = fieldSelector(wanted)
	}
	if wanted, err := about.GetLabelSelector(); err == nil && len(wanted) > 0 {
		a.LabelSelector = labels.NewSelector().Add(wanted...).String()
	}
	return a
}

func fieldSelector(wanted fields.Requirements) string {
	var terms []fields.Selector
	for _, r := range wanted {
		if r.Operator == selection.NotEquals {
			terms = append(terms, fields.OneTermNotEqualSelector(r.Field, r.Value))
		} else {
			terms = append(terms, fields.OneTermEqualSelector(r.Field, r.Value))
		}
	}
	return fields.AndSelectors(terms...).String()
}

// target is what a request is about, and who asks.
type target struct{ *admissionv1.AdmissionRequest }

func (t target) GetName() string        { return t.Name }
func (t target) GetNamespace() string   { return t.Namespace }
func (t target) GetSubresource() string { return t.SubResource }
func (t target) GetResource() schema.GroupVersionResource {
	return schema.GroupVersionResource(t.Resource)
}

func (t target) user() user.Info {
	u := &user.DefaultInfo{Name: t.UserInfo.Username, UID: t.UserInfo.UID, Groups: t.UserInfo.Groups}
	for key, values := range t.UserInfo.Extra {
		if u.Extra == nil {
			u.Extra = map[string][]string{}
		}
		u.Extra[key] = values
	}
	return u
}
