package ownershiptest

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
)

// adapter shows a Scheme as the parts of apimachinery's that managedfields needs. Objects of
// versions say what they are.
type adapter struct {
	scheme *runtime.Scheme
	kind   *runtime.Kind
	// documents says that objects of the kind are unstructured, and stay so.
	documents bool
}

var (
	_ apiruntime.ObjectConvertor = adapter{}
	_ apiruntime.ObjectDefaulter = adapter{}
	_ apiruntime.ObjectCreater   = adapter{}
)

// ConvertToVersion converts between versions of the kind, and makes typed objects of untyped ones.
func (a adapter) ConvertToVersion(in apiruntime.Object, target apiruntime.GroupVersioner) (apiruntime.Object, error) {
	gv, ok := target.(schema.GroupVersion)
	if !ok {
		return nil, fmt.Errorf("can't convert to %v, which is no version", target)
	}
	gvk := gv.WithKind(a.kind.GroupVersionKind().Kind)
	to, err := a.scheme.Kind(gvk)
	if err != nil || to.Hub() != a.kind.Hub() {
		// Who wrote in a version that is no longer served owns nothing any more.
		return nil, apiruntime.NewNotRegisteredErrForKind("Scheme", gvk)
	}
	if a.documents && gvk == a.kind.GroupVersionKind() && in.GetObjectKind().GroupVersionKind() == gvk {
		return in, nil
	}
	obj, err := a.typed(in)
	if err != nil {
		return nil, err
	}
	if in.GetObjectKind().GroupVersionKind() == gvk {
		return obj, nil
	}
	out, err := a.scheme.Convert(obj, gvk)
	if err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out, nil
}

func (a adapter) typed(in apiruntime.Object) (runtime.Object, error) {
	untyped, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in.(runtime.Object), nil
	}
	obj, err := a.scheme.New(untyped.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	if err := apiruntime.DefaultUnstructuredConverter.FromUnstructured(untyped.Object, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// Default fills in the defaults of the object's version; of documents whoever stores them does.
func (a adapter) Default(obj apiruntime.Object) {
	if !a.documents {
		a.scheme.Default(obj.(runtime.Object))
	}
}

// New returns an empty object that says what it is.
func (a adapter) New(gvk schema.GroupVersionKind) (apiruntime.Object, error) {
	if a.documents {
		empty := &unstructured.Unstructured{Object: map[string]any{}}
		empty.SetGroupVersionKind(gvk)
		return empty, nil
	}
	obj, err := a.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return obj, nil
}

// Convert is for conversions between given objects, which managedfields has none of.
func (a adapter) Convert(in, out, _ any) error {
	return fmt.Errorf("can't convert a %T to a %T", in, out)
}

// ConvertFieldLabel is for field selectors, which managedfields has none of.
func (a adapter) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("no field labels here")
}
