package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime"
)

// This file has leave to use apimachinery's managedfields: what an apply patch does to the fields of others is defined
// by it, and clients store its results in objects.

// Schemas are the fields of all kinds of a server, as the tracking of their owners needs them. They are immutable and
// may be used for any number of resources.
type Schemas struct {
	types managedfields.TypeConverter
	kinds map[schema.GroupVersionKind]bool
}

// NewSchemas reads the OpenAPI v3 schemas of each version: a JSON object from model name to schema. A model that
// several versions have must be the same in all of them.
func NewSchemas(openAPI map[schema.GroupVersion]string) (*Schemas, error) {
	models := map[string]*spec.Schema{}
	byVersion := func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }
	for _, gv := range slices.SortedFunc(maps.Keys(openAPI), byVersion) {
		var texts map[string]json.RawMessage
		if err := json.Unmarshal([]byte(openAPI[gv]), &texts); err != nil {
			return nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
		}
		for name, text := range texts {
			if models[name] != nil {
				continue
			}
			model := new(spec.Schema)
			if err := json.Unmarshal(text, model); err != nil {
				return nil, fmt.Errorf("OpenAPI schemas of %s: %s: %w", gv, name, err)
			}
			models[name] = model
		}
	}
	types, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI schemas: %w", err)
	}
	s := &Schemas{types: types, kinds: map[schema.GroupVersionKind]bool{}}
	for _, model := range models {
		list, _ := model.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, element := range list {
			kind, _ := element.(map[string]any)
			group, _ := kind["group"].(string)
			version, _ := kind["version"].(string)
			name, _ := kind["kind"].(string)
			s.kinds[schema.GroupVersionKind{Group: group, Version: version, Kind: name}] = true
		}
	}
	return s, nil
}

// tracker knows who owns which fields of the objects of one version. It may be used by any goroutine.
type tracker struct {
	kind    *runtime.Kind
	schemas *Schemas
	fields  *managedfields.FieldManager
}

// fieldPath is a field in every version of a kind: its names in JSON, from the outside in.
type fieldPath []string

// tracker returns nil if there is no schema of the kind. subresource is what is written to, "" for the object; reset are
// the fields that such a write does not change, whatever it says, so that nobody owns them by it. What a version carries
// for the others (runtime.LosslessAnnotation) is nobody's in any case.
func (s *Schemas) tracker(scheme *runtime.Scheme, kind *runtime.Kind, subresource string, reset ...fieldPath) (*tracker, error) {
	if s == nil || !s.kinds[kind.GroupVersionKind()] {
		return nil, nil
	}
	ignored := fieldpath.NewSet()
	for _, field := range append(reset, fieldPath{"metadata", "annotations", runtime.LosslessAnnotation}) {
		var path fieldpath.Path
		for _, name := range field {
			path = append(path, fieldpath.PathElement{FieldName: &name})
		}
		ignored.Insert(path)
	}
	ignore := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, k := range scheme.KindsOfHub(kind.Hub()) {
		ignore[fieldpath.APIVersion(k.GroupVersionKind().GroupVersion().String())] = fieldpath.NewExcludeSetFilter(ignored)
	}
	in, gvk := adapter{scheme: scheme, kind: kind}, kind.GroupVersionKind()
	// The other constructor wants a hub version that every group has. Here all conversions start from objects of this
	// version, which is as good as a hub since Scheme.Convert goes through the real one.
	fields, err := managedfields.NewDefaultCRDFieldManager(s.types, in, in, in, gvk, gvk.GroupVersion(), subresource, ignore)
	if err != nil {
		return nil, err
	}
	empty, err := in.New(gvk)
	if err == nil {
		_, err = s.types.ObjectToTyped(empty)
	}
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI schema of %s does not fit its Go type: %w", gvk, err)
	}
	return &tracker{kind: kind, schemas: s, fields: fields}, nil
}

// update returns who owns the fields of obj after manager has made it of live; an empty live was never stored. Both say
// that they are of the tracker's kind. Of obj the managedFields are taken away.
func (t *tracker) update(live, obj runtime.Object, manager string) (owners []metav1.ManagedFieldsEntry, err error) {
	defer func() {
		if r := recover(); r != nil {
			owners, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	next, err := t.fields.Update(live, obj, manager)
	if err != nil {
		return nil, err
	}
	return runtime.Meta(next.(runtime.Object)).ManagedFields, nil
}

// appliedPatch is the content of an apply patch: a part of an object. It is not modified.
type appliedPatch struct{ content *unstructured.Unstructured }

// read makes an applied patch of JSON. strict are the fields that are there twice. The error is an API status.
func (t *tracker) read(data []byte) (patch appliedPatch, strict []error, err error) {
	want, content := t.kind.GroupVersionKind(), map[string]any{}
	if strict, err = readPatchObject(data, &content); err != nil {
		return patch, nil, err
	}
	patch.content = &unstructured.Unstructured{Object: content}
	if got := patch.content.GroupVersionKind(); got != want {
		return patch, nil, badPatch(fmt.Errorf("it says that it is a %s; want apiVersion %s and kind %s", got, want.GroupVersion(), want.Kind))
	}
	owners, _, err := unstructured.NestedFieldNoCopy(content, "metadata", "managedFields")
	if err == nil && owners != nil {
		return patch, nil, apierrors.NewBadRequest("metadata.managedFields must be nil: an apply patch can't say who owns what")
	}
	// The Go type finds values of a wrong type, the schema finds unknown fields, and list items that are there twice.
	if err = kjson.UnmarshalCaseSensitivePreserveInts(data, t.kind.New()); err == nil {
		_, err = t.schemas.types.ObjectToTyped(patch.content)
	}
	if err != nil {
		return patch, nil, badPatch(err)
	}
	return patch, strict, nil
}

// apply makes the next object of live, whatever it was before, by what manager wants its fields to be. A conflict with
// another manager is an API status; force takes the fields over. The result is defaulted and knows its owners.
func (t *tracker) apply(live runtime.Object, applied appliedPatch, manager string, force bool) (runtime.Object, error) {
	next, err := t.fields.Apply(live, applied.content.DeepCopy(), manager, force)
	if err != nil {
		return nil, err
	}
	return next.(runtime.Object), nil
}

// adapter shows a Scheme as the parts of apimachinery's that managedfields needs. Objects of versions say what they are.
type adapter struct {
	scheme *runtime.Scheme
	kind   *runtime.Kind
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

// Default fills in the defaults of the object's version.
func (a adapter) Default(obj apiruntime.Object) { a.scheme.Default(obj.(runtime.Object)) }

// New returns an empty object that says what it is.
func (a adapter) New(gvk schema.GroupVersionKind) (apiruntime.Object, error) {
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
