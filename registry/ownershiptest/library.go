package ownershiptest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/runtime"
)

// Oracle is apimachinery's managedfields for writes to a part of objects in one version.
type Oracle struct {
	fields *managedfields.FieldManager
	types  typeConverter
}

// NewOracle makes one of OpenAPI schemas. Writes to the subresource leave the fields in reset
// alone. documents says that objects are given as ownership.Documents.
func NewOracle(openAPI map[schema.GroupVersion]string, scheme *runtime.Scheme, kind *runtime.Kind, documents bool, subresource string, reset ...ownership.Path) (Oracle, error) {
	types, err := library(openAPI)
	if err != nil {
		return Oracle{}, err
	}
	return newOracle(types, scheme, kind, documents, subresource, reset)
}

// typeConverter has a converter of managedfields for each version, made of the version's schemas.
type typeConverter map[schema.GroupVersion]managedfields.TypeConverter

// library returns the converters for the schemas of versions.
func library(openAPI map[schema.GroupVersion]string) (typeConverter, error) {
	types := typeConverter{}
	for gv, text := range openAPI {
		specs := map[string]*spec.Schema{}
		err := json.Unmarshal([]byte(text), &specs)
		if err == nil {
			types[gv], err = managedfields.NewTypeConverter(specs, false)
		}
		if err != nil {
			return nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
		}
	}
	return types, nil
}

func (t typeConverter) ObjectToTyped(obj apiruntime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	in, ok := t[obj.GetObjectKind().GroupVersionKind().GroupVersion()]
	if !ok {
		in, _ = managedfields.NewTypeConverter(nil, false) // whose error is the one for a kind without schema
	}
	return in.ObjectToTyped(obj, opts...)
}

func (t typeConverter) TypedToObject(v *typed.TypedValue) (apiruntime.Object, error) {
	return managedfields.NewDeducedTypeConverter().TypedToObject(v)
}

func newOracle(types typeConverter, scheme *runtime.Scheme, kind *runtime.Kind, documents bool, subresource string, reset []ownership.Path) (Oracle, error) {
	ignored := fieldpath.NewSet()
	for _, field := range append(reset, ownership.Path{"metadata", "annotations", runtime.LosslessAnnotation}) {
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
	gvk := kind.GroupVersionKind()
	// The other constructor wants a hub version that every group has. Here all conversions start
	// from objects of this version, which is as good as a hub since Scheme.Convert goes through the
	// real one.
	in := adapter{scheme, kind, documents}
	fields, err := managedfields.NewDefaultCRDFieldManager(unsigned{types, scheme}, in, in, in, gvk, gvk.GroupVersion(), subresource, ignore)
	return Oracle{fields, types}, err
}

// Update is who owns the fields of obj after manager has made it of live.
func (o Oracle) Update(live, obj runtime.Object, manager string) (owners []metav1.ManagedFieldsEntry, err error) {
	defer func() {
		if r := recover(); r != nil {
			owners, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	next, err := o.fields.Update(asLibrary(live), asLibrary(obj), manager)
	if err != nil {
		return nil, err
	}
	return ownersOf(next), nil
}

// apply is what an apply patch makes of live.
func (o Oracle) apply(live runtime.Object, content map[string]any, manager string, force bool) (next apiruntime.Object, err error) {
	defer func() {
		if r := recover(); r != nil {
			next, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return o.fields.Apply(asLibrary(live), &unstructured.Unstructured{Object: apiruntime.DeepCopyJSON(content)}, manager, force)
}

// asLibrary is an object as managedfields wants it, in memory of its own.
func asLibrary(obj runtime.Object) apiruntime.Object {
	if d, ok := obj.(ownership.Document); ok {
		return whole(d.Object, d.Content)
	}
	return obj.DeepCopyObject()
}

// whole is a document with its metadata.
func whole(obj runtime.Object, content map[string]any) *unstructured.Unstructured {
	meta, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(runtime.Meta(obj))
	if err != nil {
		panic(err)
	}
	if sent := runtime.Meta(obj).ManagedFields; sent != nil && len(sent) == 0 {
		meta["managedFields"] = []any{} // which is something else than none
	}
	u := &unstructured.Unstructured{Object: apiruntime.DeepCopyJSON(content)}
	u.Object["metadata"] = meta
	u.SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	return u
}

func ownersOf(obj apiruntime.Object) []metav1.ManagedFieldsEntry {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u.GetManagedFields()
	}
	return runtime.Meta(obj.(runtime.Object)).ManagedFields
}

// unsigned is a TypeConverter that gets along with the large unsigned integers of Go types, which
// the library refuses with a panic.
type unsigned struct {
	managedfields.TypeConverter
	scheme *runtime.Scheme
}

func (u unsigned) ObjectToTyped(obj apiruntime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	object, ok := obj.(runtime.Object)
	if !ok || !hasUnsigned(reflect.TypeOf(obj)) {
		return u.TypeConverter.ObjectToTyped(obj, opts...)
	}
	kind, err := u.scheme.KindOf(object)
	if err != nil {
		return nil, err
	}
	text, err := kind.AppendJSON(nil, object)
	if err != nil {
		return nil, err
	}
	content, err := value.FromJSON(text)
	if err != nil {
		return nil, err
	}
	return u.TypeConverter.ObjectToTyped(&unstructured.Unstructured{Object: content.Unstructured().(map[string]any)}, opts...)
}

var unsignedTypes sync.Map // whether there are such in a type

// hasUnsigned says whether there are unsigned integers of 64 bits in values of a type.
func hasUnsigned(t reflect.Type) bool {
	if known, ok := unsignedTypes.Load(t); ok {
		return known.(bool)
	}
	has := findUnsigned(t, map[reflect.Type]bool{})
	unsignedTypes.Store(t, has)
	return has
}

func findUnsigned(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findUnsigned(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if findUnsigned(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
