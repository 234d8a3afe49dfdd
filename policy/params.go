package policy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/registry/rest"
)

// reader reads what policies need of the server. It may be used from any goroutine.
type reader struct {
	resources []*rest.Resource
	// namespaces is nil if none are served.
	namespaces *rest.Resource
}

func readerOf(h *typeplane.Host) reader {
	return reader{resources: slices.Clone(h.Resources), namespaces: h.Resource(namespacesResource, "")}
}

// namespace returns a namespace as expressions see it.
func (r *reader) namespace(ctx context.Context, name string) (map[string]any, error) {
	if r.namespaces == nil {
		return map[string]any{"metadata": map[string]any{"name": name, "labels": map[string]any{match.NameLabel: name}}}, nil
	}
	return get(ctx, r.namespaces, rest.Name{Name: name})
}

// labels are those of a namespace.
func (r *reader) labels(ctx context.Context, name string) (map[string]string, error) {
	namespace, err := r.namespace(ctx, name)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	metadata, _ := namespace["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	for key, value := range labels {
		set[key], _ = value.(string)
	}
	return set, nil
}

// params returns the parameters by which a binding has a policy judge what is in a namespace: one
// nil if it has none.
func (r *reader) params(ctx context.Context, kind *admissionregistrationv1.ParamKind, from *admissionregistrationv1.ParamRef, namespace string) ([]any, error) {
	if kind == nil || from == nil {
		return []any{nil}, nil
	}
	resource := r.kind(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind))
	switch {
	case resource == nil:
		return nil, fmt.Errorf("paramKind %s of %s is not served", kind.Kind, kind.APIVersion)
	case !resource.Namespaced && from.Namespace != "":
		return nil, errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case !resource.Namespaced:
		namespace = ""
	case from.Namespace != "":
		namespace = from.Namespace
	case namespace == "":
		return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	}
	found, err := find(ctx, resource, namespace, from)
	if err != nil {
		return nil, err
	}
	if deny := from.ParameterNotFoundAction; len(found) == 0 && (deny == nil || *deny == admissionregistrationv1.DenyAction) {
		return nil, errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return found, nil
}

// kind returns the resource of a kind, nil if it is not served.
func (r *reader) kind(gvk schema.GroupVersionKind) *rest.Resource {
	i := slices.IndexFunc(r.resources, func(one *rest.Resource) bool {
		return one.GroupVersion.WithKind(one.Kind) == gvk && one.Subresource == "" && one.Get != nil && one.List != nil
	})
	if i < 0 {
		return nil
	}
	return r.resources[i]
}

// resource is the one of a name, nil if it is not served.
func (r *reader) resource(gvr schema.GroupVersionResource) *rest.Resource {
	i := slices.IndexFunc(r.resources, func(one *rest.Resource) bool {
		return one.GroupVersion.WithResource(one.Name) == gvr && one.Subresource == "" && one.Get != nil
	})
	if i < 0 {
		return nil
	}
	return r.resources[i]
}

// find returns the objects that are named or selected, of which there may be none.
func find(ctx context.Context, resource *rest.Resource, namespace string, from *admissionregistrationv1.ParamRef) ([]any, error) {
	if from.Name != "" {
		param, err := get(ctx, resource, rest.Name{Namespace: namespace, Name: from.Name})
		switch {
		case apierrors.IsNotFound(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []any{param}, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(from.Selector)
	if err != nil {
		return nil, err
	}
	view, err := resource.List.List(ctx, namespace, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return nil, err
	}
	list, err := read(view)
	if err != nil {
		return nil, err
	}
	items, _ := list["items"].([]any)
	for _, item := range items {
		if param, ok := item.(map[string]any); ok {
			param["apiVersion"], param["kind"] = resource.GroupVersion.String(), resource.Kind
		}
	}
	return items, nil
}

// get reads an object, from memory if it is there.
func get(ctx context.Context, resource *rest.Resource, name rest.Name) (map[string]any, error) {
	view, err := resource.Get.Get(ctx, name, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		if view, err = resource.Get.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return nil, err
		}
	}
	return read(view)
}

// read makes a JSON value of a view, in which whole numbers are int64.
func read(view rest.View) (map[string]any, error) {
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON}); err != nil {
		return nil, err
	}
	value := map[string]any{}
	err := json.Unmarshal(b.Bytes(), &value)
	return value, err
}
