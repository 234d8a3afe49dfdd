package kuberules

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/capabilities"
)

// Containers may be privileged, as in every cluster whose nodes run what they need as pods.
func init() { capabilities.Setup(true, 0) }

// namespace is where all objects are that are in namespaces.
const inNamespace = "rules"

// kubernetes says what a kube-apiserver makes of a new object, or of a changed one if old is not
// nil; of a write of the status if status is true. It decodes, defaults and converts them as that
// does, and asks the kind's strategy.
func kubernetes(k kind, doc, old map[string]any, status bool) verdict {
	obj, err := decode(k, doc)
	if err != nil {
		return verdict{unread: true, message: err.Error()}
	}
	subresource := ""
	if status {
		subresource = "status"
	}
	ctx := requestFor(k, old != nil, subresource)
	if old == nil {
		return judged(create(ctx, k, obj))
	}
	before, err := decode(k, old)
	if err != nil {
		return verdict{message: "the object as it was: " + err.Error()}
	}
	if status {
		return judged(rest.BeforeUpdate(k.status, ctx, obj, before))
	}
	return judged(rest.BeforeUpdate(k.strategy, ctx, obj, before))
}

func create(ctx context.Context, k kind, obj runtime.Object) error {
	m, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	rest.WipeObjectMetaSystemFields(m)
	rest.FillObjectMetaSystemFields(m)
	if !k.cluster {
		m.SetNamespace(inNamespace)
	}
	return rest.BeforeCreate(k.strategy, ctx, obj)
}

// decode reads a document as a body is read.
func decode(k kind, doc map[string]any) (runtime.Object, error) {
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	obj, _, err := legacyscheme.Codecs.UniversalDecoder().Decode(data, &k.GroupVersionKind, nil)
	return obj, err
}

// requestFor is what the strategies read from a request to a subresource, "" for the object itself.
func requestFor(k kind, update bool, subresource string) context.Context {
	info := &request.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: k.Group, APIVersion: k.Version, Resource: k.resource, Subresource: subresource,
	}
	if update {
		info.Verb = "update"
	}
	ctx := request.WithRequestInfo(request.NewContext(), info)
	if k.cluster {
		return request.WithNamespace(ctx, "")
	}
	return request.WithNamespace(ctx, inNamespace)
}

func judged(err error) verdict {
	if err == nil {
		return verdict{accepted: true}
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		s := status.Status()
		return verdictOf(&s)
	}
	return verdict{message: err.Error()}
}
