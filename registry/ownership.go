package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
// by it, and clients store its results in objects. All other writes go by generated functions: see ownership_update.go.

// Schemas are the fields of all kinds of a server, as apply patches need them. They are read for the first of those, and may
// be used by any goroutine and for any number of resources.
type Schemas struct {
	openAPI map[schema.GroupVersion]string
	types   func() (managedfields.TypeConverter, error)
}

// NewSchemas takes the OpenAPI v3 schemas of each version: a JSON object from model name to schema. A model that several
// versions have must be the same in all of them. The map must not be modified.
func NewSchemas(openAPI map[schema.GroupVersion]string) *Schemas {
	s := &Schemas{openAPI: openAPI}
	s.types = sync.OnceValues(s.read)
	return s
}

// read makes of the schemas what managedfields works with.
func (s *Schemas) read() (managedfields.TypeConverter, error) {
	models := map[string]*spec.Schema{}
	byVersion := func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }
	for _, gv := range slices.SortedFunc(maps.Keys(s.openAPI), byVersion) {
		var texts map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s.openAPI[gv]), &texts); err != nil {
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
	return types, nil
}

// tracker knows who owns which fields of the objects of one version. It may be used by any goroutine.
type tracker struct {
	scheme      *runtime.Scheme
	kind        *runtime.Kind
	subresource string
	ignored     []fieldPath
	applier     func() (*applier, error) // made for the first apply patch
}

// applier carries out apply patches.
type applier struct {
	types  managedfields.TypeConverter
	fields *managedfields.FieldManager
}

// fieldPath is a field in every version of a kind: its names in JSON, from the outside in.
type fieldPath []string

// tracker returns nil if nobody can own a field of the kind: its version has no schemas, or no function that compares two
// objects. subresource is what is written to, "" for the object; reset are the fields that such a write does not change,
// whatever it says, so that nobody owns them by it. What a version carries for the others (runtime.LosslessAnnotation) is
// nobody's in any case.
func (s *Schemas) tracker(scheme *runtime.Scheme, kind *runtime.Kind, subresource string, reset ...fieldPath) *tracker {
	if s == nil || s.openAPI[kind.GroupVersionKind().GroupVersion()] == "" || !kind.ComparesFields() {
		return nil
	}
	t := &tracker{scheme: scheme, kind: kind, subresource: subresource}
	t.ignored = append(reset, fieldPath{"metadata", "annotations", runtime.LosslessAnnotation})
	t.applier = sync.OnceValues(func() (*applier, error) { return t.newApplier(s) })
	return t
}

func (t *tracker) newApplier(s *Schemas) (*applier, error) {
	types, err := s.types()
	if err != nil {
		return nil, err
	}
	ignored := fieldpath.NewSet()
	for _, field := range t.ignored {
		var path fieldpath.Path
		for _, name := range field {
			path = append(path, fieldpath.PathElement{FieldName: &name})
		}
		ignored.Insert(path)
	}
	ignore := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, k := range t.scheme.KindsOfHub(t.kind.Hub()) {
		ignore[fieldpath.APIVersion(k.GroupVersionKind().GroupVersion().String())] = fieldpath.NewExcludeSetFilter(ignored)
	}
	in, gvk := adapter{scheme: t.scheme, kind: t.kind}, t.kind.GroupVersionKind()
	// The other constructor wants a hub version that every group has. Here all conversions start from objects of this
	// version, which is as good as a hub since Scheme.Convert goes through the real one.
	fields, err := managedfields.NewDefaultCRDFieldManager(types, in, in, in, gvk, gvk.GroupVersion(), t.subresource, ignore)
	if err != nil {
		return nil, err
	}
	empty, err := in.New(gvk)
	if err == nil {
		_, err = types.ObjectToTyped(empty)
	}
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI schema of %s does not fit its Go type: %w", gvk, err)
	}
	return &applier{types: types, fields: fields}, nil
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
	apply, err := t.applier()
	if err != nil {
		return patch, nil, apierrors.NewInternalError(err)
	}
	// The Go type finds values of a wrong type, the schema finds unknown fields, and list items that are there twice.
	if err = kjson.UnmarshalCaseSensitivePreserveInts(data, t.kind.New()); err == nil {
		_, err = apply.types.ObjectToTyped(patch.content)
	}
	if err != nil {
		return patch, nil, badPatch(err)
	}
	return patch, strict, nil
}

// apply makes the next object of live, whatever it was before, by what manager wants its fields to be. A conflict with
// another manager is an API status; force takes the fields over. The result is defaulted and knows its owners.
func (t *tracker) apply(live runtime.Object, applied appliedPatch, manager string, force bool) (runtime.Object, error) {
	apply, err := t.applier()
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	next, err := apply.fields.Apply(live, applied.content.DeepCopy(), manager, force)
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
