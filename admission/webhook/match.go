package webhook

import (
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

// exemptKinds decide who is asked: if webhooks could stand before them, nobody could remove one that is broken.
var exemptKinds = []string{
	"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
	"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
}

func exempt(r *admission.Request) bool {
	return r.Kind.Group == admissionregistrationv1.GroupName && slices.Contains(exemptKinds, r.Kind.Kind)
}

var namespaceResource = schema.GroupResource{Resource: "namespaces"}

// aboutNamespace says whether the request is about a namespace itself, or a part of it.
func aboutNamespace(r *admission.Request) bool {
	return r.Resource.GroupResource() == namespaceResource
}

// namespaceOf is the namespace of a request. That of a namespace is the namespace.
func namespaceOf(r *admission.Request) string {
	if aboutNamespace(r) {
		return r.Name
	}
	return r.Namespace
}

// version returns in which version the hook wants to see a request: the one of the request if a rule names that, else the first
// served version that a rule names, unless it is exact about versions.
func (h *hook) version(r *admission.Request) (admission.Version, bool) {
	for i := range h.rules {
		if covers(&h.rules[i], r, r.Resource) {
			return admission.Version{Resource: r.Resource, Kind: r.Kind}, true
		}
	}
	if h.exact || r.Forms == nil {
		return admission.Version{}, false
	}
	versions := r.Forms.Versions()
	for i := range h.rules {
		for _, v := range versions {
			if v.Resource != r.Resource && covers(&h.rules[i], r, v.Resource) {
				return v, true
			}
		}
	}
	return admission.Version{}, false
}

// covers says whether a rule is about a request, taken as one for resource.
func covers(rule *admissionregistrationv1.RuleWithOperations, r *admission.Request, resource schema.GroupVersionResource) bool {
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

// namesResource: "pods" is the resource alone, "pods/*" is it and all of its parts, "*" is all resources without their parts.
func namesResource(pattern, resource, subresource string) bool {
	r, sub, _ := strings.Cut(pattern, "/")
	return (r == "*" || r == resource) && (sub == "*" || sub == subresource)
}

// selects says whether the selectors of the hook let a request through.
func (w *webhooks) selects(ctx context.Context, h *hook, r *admission.Request) (bool, error) {
	if !h.objects.Empty() && !hasLabels(r.Object, h.objects) && !hasLabels(r.Old, h.objects) {
		return false, nil
	}
	if h.namespaces.Empty() || namespaceOf(r) == "" && !aboutNamespace(r) {
		return true, nil
	}
	set, err := w.namespaceLabels(ctx, r)
	if err != nil {
		return false, err
	}
	return h.namespaces.Matches(labels.Set(set)), nil
}

// hasLabels says whether there is an object with such labels.
func hasLabels(obj apiruntime.Object, s labels.Selector) bool {
	accessor, ok := obj.(metav1.ObjectMetaAccessor)
	return ok && s.Matches(labels.Set(accessor.GetObjectMeta().GetLabels()))
}

// nameLabel is the label by which every namespace can be selected.
const nameLabel = "kubernetes.io/metadata.name"

// namespaceLabels are those of the namespace of the request. A namespace that is being written is as it will be.
func (w *webhooks) namespaceLabels(ctx context.Context, r *admission.Request) (map[string]string, error) {
	if aboutNamespace(r) && r.Subresource == "" {
		for _, obj := range []apiruntime.Object{r.Object, r.Old} {
			if accessor, ok := obj.(metav1.ObjectMetaAccessor); ok {
				return accessor.GetObjectMeta().GetLabels(), nil
			}
		}
	}
	name := namespaceOf(r)
	if w.config.Namespaces == nil {
		return map[string]string{nameLabel: name}, nil
	}
	set, err := w.config.Namespaces(ctx, name)
	if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
		err = apierrors.NewInternalError(err)
	}
	return set, err
}
