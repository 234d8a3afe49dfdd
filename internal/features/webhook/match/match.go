// Package match says which requests rules and selectors are about, as Kubernetes has them in the
// configurations of webhooks and in admission policies. Start reading at Version and Selectors. It
// keeps nothing; whoever asks brings the labels of namespaces.
package match

import (
	"cmp"
	"context"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
)

// exemptKinds decide who is asked: if somebody could stand before them, nobody could remove what is
// broken.
var exemptKinds = []string{
	"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
	"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
}

// reviews are questions of who somebody is, and what he may do. Webhooks ask them about the server
// that asks the webhooks: one of them that fails would leave nobody able to log in and put it
// right.
var reviews = []schema.GroupResource{
	{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"},
	{Group: "authentication.k8s.io", Resource: "tokenreviews"},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"},
	{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"},
}

// Exempt says whether a request is about one of the objects that say who is asked, or is a review.
// Nobody is asked about those.
func Exempt(r *admission.Request) bool {
	return r.Kind.Group == admissionregistrationv1.GroupName && slices.Contains(exemptKinds, r.Kind.Kind) ||
		slices.Contains(reviews, r.Resource.GroupResource())
}

// Reviews are the resources that nobody is asked about.
func Reviews() []schema.GroupResource { return slices.Clone(reviews) }

var namespaceResource = schema.GroupResource{Resource: "namespaces"}

// aboutNamespace says whether the request is about a namespace itself, or a part of it.
func aboutNamespace(r *admission.Request) bool {
	return r.Resource.GroupResource() == namespaceResource
}

// Namespace is the namespace of a request. That of a namespace is the namespace.
func Namespace(r *admission.Request) string {
	if aboutNamespace(r) {
		return r.Name
	}
	return r.Namespace
}

// Version returns in which version a request is judged. It is that of the request if a rule names
// that. Else it is the first served version that a rule names, unless the rules are exact about
// versions. false: the rules are about something else.
func Version(rules []admissionregistrationv1.RuleWithOperations, exact bool, r *admission.Request) (admission.Version, bool) {
	for i := range rules {
		if Covers(&rules[i], r, r.Resource) {
			return admission.Version{Resource: r.Resource, Kind: r.Kind}, true
		}
	}
	if exact || r.Codec == nil {
		return admission.Version{}, false
	}
	versions := r.Codec.Versions()
	for i := range rules {
		for _, v := range versions {
			if v.Resource != r.Resource && Covers(&rules[i], r, v.Resource) {
				return v, true
			}
		}
	}
	return admission.Version{}, false
}

// Covers says whether a rule is about a request, taken as one for resource.
func Covers(rule *admissionregistrationv1.RuleWithOperations, r *admission.Request, resource schema.GroupVersionResource) bool {
	operation := func(o admissionregistrationv1.OperationType) bool {
		return o == admissionregistrationv1.OperationAll || string(o) == string(r.Operation)
	}
	return slices.ContainsFunc(rule.Operations, operation) && inScope(rule.Scope, r) &&
		names(rule.APIGroups, resource.Group) && names(rule.APIVersions, resource.Version) &&
		slices.ContainsFunc(rule.Resources, func(pattern string) bool { return namesResource(pattern, resource.Resource, r.Subresource) })
}

func inScope(scope *admissionregistrationv1.ScopeType, r *admission.Request) bool {
	if scope == nil || *scope == admissionregistrationv1.AllScopes {
		return true
	}
	namespaced := r.Namespace != "" && !aboutNamespace(r)
	return namespaced == (*scope == admissionregistrationv1.NamespacedScope)
}

func names(list []string, name string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, name)
}

// namesResource: "pods" is the resource alone, "pods/*" is it and all of its parts, "*" is all
// resources without their parts.
func namesResource(pattern, resource, subresource string) bool {
	r, sub, _ := strings.Cut(pattern, "/")
	return (r == "*" || r == resource) && (sub == "*" || sub == subresource)
}

// Labels returns the labels of a namespace, which are not modified; an API status if there is no
// such namespace.
type Labels func(ctx context.Context, name string) (map[string]string, error)

// Selectors are a namespaceSelector and an objectSelector. They are not modified. The zero value
// selects nothing; see NewSelectors.
type Selectors struct{ namespaces, objects labels.Selector }

// NewSelectors reads selectors. nil selects everything, and so does one that can't be read, of
// which the error tells.
func NewSelectors(namespaces, objects *metav1.LabelSelector) (Selectors, error) {
	n, err := selector(namespaces)
	o, errObjects := selector(objects)
	return Selectors{n, o}, cmp.Or(err, errObjects)
}

func selector(s *metav1.LabelSelector) (labels.Selector, error) {
	if s == nil {
		return labels.Everything(), nil
	}
	selected, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Everything(), err
	}
	return selected, nil
}

// Select says whether the selectors let a request through. An error is an API status. of may be
// nil: namespaces are names only, and each has the label kubernetes.io/metadata.name.
func (s *Selectors) Select(ctx context.Context, r *admission.Request, of Labels) (bool, error) {
	if !s.objects.Empty() && !hasLabels(r.Object, s.objects) && !hasLabels(r.Old, s.objects) {
		return false, nil
	}
	if s.namespaces.Empty() || Namespace(r) == "" && !aboutNamespace(r) {
		return true, nil
	}
	set, err := namespaceLabels(ctx, r, of)
	if err != nil {
		return false, err
	}
	return s.namespaces.Matches(labels.Set(set)), nil
}

// hasLabels says whether there is an object with such labels.
func hasLabels(obj apiruntime.Object, s labels.Selector) bool {
	meta, ok := obj.(metav1.Object)
	return ok && s.Matches(labels.Set(meta.GetLabels()))
}

// NameLabel is the label by which every namespace can be selected.
const NameLabel = "kubernetes.io/metadata.name"

// namespaceLabels are those of the namespace of the request. A namespace that is being written is
// as it will be.
func namespaceLabels(ctx context.Context, r *admission.Request, of Labels) (map[string]string, error) {
	if aboutNamespace(r) && r.Subresource == "" {
		for _, obj := range []apiruntime.Object{r.Object, r.Old} {
			if meta, ok := obj.(metav1.Object); ok {
				return meta.GetLabels(), nil
			}
		}
	}
	name := Namespace(r)
	if of == nil {
		return map[string]string{NameLabel: name}, nil
	}
	set, err := of(ctx, name)
	if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
		err = apierrors.NewInternalError(err)
	}
	return set, err
}
