package ownership

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/fieldset"
)

// applier carries out apply patches.
type applier struct {
	types  managedfields.TypeConverter
	fields *managedfields.FieldManager
	// fieldsWith makes a manager that tells what it has made.
	fieldsWith func(*merged) (*managedfields.FieldManager, error)
}

// merged is what an apply patch has made of an object: what was there and what is in the patch,
// without what a Go value adds, and the Go value.
type merged struct {
	content map[string]any
	of      apiruntime.Object
}

func (t *Tracker) newApplier(s *Schemas) (*applier, error) {
	m, err := s.read()
	if err != nil {
		return nil, err
	}
	types, ignored := unsigned{m.types, t.scheme}, fieldpath.NewSet()
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
	gvk := t.kind.GroupVersionKind()
	// The other constructor wants a hub version that every group has. Here all conversions start
	// from objects of this version, which is as good as a hub since Scheme.Convert goes through the
	// real one.
	fieldsWith := func(tell *merged) (*managedfields.FieldManager, error) {
		in := adapter{t.scheme, t.kind, t.documents, tell}
		return managedfields.NewDefaultCRDFieldManager(types, in, in, in, gvk, gvk.GroupVersion(), t.subresource, ignore)
	}
	fields, err := fieldsWith(nil)
	if err != nil {
		return nil, err
	}
	empty, err := adapter{t.scheme, t.kind, t.documents, nil}.New(gvk)
	if err == nil {
		_, err = types.ObjectToTyped(empty)
	}
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI schema of %s does not fit its Go type: %w", gvk, err)
	}
	return &applier{types, fields, fieldsWith}, nil
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

// Check says what is wrong with the content of an apply patch by the schema of the kind: unknown
// fields, and items of a list that are there twice. The error is an API status.
func (t *Tracker) Check(content map[string]any) error {
	a, err := t.applier()
	if err != nil {
		return apierrors.NewInternalError(err) // the schema itself is of no use
	}
	if err := checkNarrow("the patch", content); err != nil {
		return err
	}
	if _, err := a.types.ObjectToTyped(&unstructured.Unstructured{Object: content}); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	return nil
}

// Apply makes the next object of live, whatever it was before, by what manager wants its fields to
// be. That is the content of an apply patch that Check finds nothing wrong with. A conflict with
// another manager is an API status; force takes the fields over. The result is defaulted, if it is
// no Document, and knows its owners. sent is what there is of that then: in live, and in content;
// nil if it is a Document, or nothing was changed. Neither live nor content is modified.
func (t *Tracker) Apply(live runtime.Object, content map[string]any, manager string, force bool) (next runtime.Object, sent map[string]any, err error) {
	a, err := t.applier()
	if err != nil {
		return nil, nil, err
	}
	if err := checkNarrow("the object", live); err != nil {
		return nil, nil, err
	}
	patch := &unstructured.Unstructured{Object: apiruntime.DeepCopyJSON(content)}
	if d, ok := live.(Document); ok {
		next, err = t.applyToDocument(a, d, patch, manager, force)
		return next, nil, err
	}
	var made merged
	fields, err := a.fieldsWith(&made)
	if err != nil {
		return nil, nil, err
	}
	out, err := fields.Apply(live, patch, manager, force)
	if err != nil {
		return nil, nil, err
	}
	if made.of == out {
		sent = made.content
	}
	return out.(runtime.Object), sent, nil
}

// UpdateBySchema is Update by apimachinery's managedfields, which is slow: for kinds that gen has
// printed no functions for, and to compare with in tests.
func (t *Tracker) UpdateBySchema(live, obj runtime.Object, manager string) (owners []metav1.ManagedFieldsEntry, err error) {
	defer func() {
		if r := recover(); r != nil {
			owners, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	a, err := t.applier()
	if err != nil {
		return nil, err
	}
	if t.documents {
		was, err := live.(Document).unstructured()
		if err != nil {
			return nil, err
		}
		is, err := obj.(Document).unstructured()
		if err != nil {
			return nil, err
		}
		next, err := a.fields.Update(was, is, manager)
		if err != nil {
			return nil, err
		}
		return ownersOf(next.(*unstructured.Unstructured))
	}
	next, err := a.fields.Update(live, obj, manager)
	if err != nil {
		return nil, err
	}
	return runtime.Meta(next.(runtime.Object)).ManagedFields, nil
}

// Check says what is wrong with entries of managedFields that somebody has made of known ones,
// which are not looked at again.
func Check(entries, known []metav1.ManagedFieldsEntry) error {
	if len(entries) == 0 || len(entries) == len(known) && &entries[0] == &known[0] {
		return nil
	}
	return managedfields.ValidateManagedFields(entries)
}

// applyToDocument is Apply for a document. The Go value of the result has nothing but its metadata.
func (t *Tracker) applyToDocument(a *applier, live Document, patch *unstructured.Unstructured, manager string, force bool) (runtime.Object, error) {
	was, err := live.unstructured()
	if err != nil {
		return nil, err
	}
	applied, err := a.fields.Apply(was, patch, manager, force)
	if err != nil {
		return nil, err
	}
	next := applied.(*unstructured.Unstructured)
	owners, err := ownersOf(next)
	if err != nil {
		return nil, err
	}
	obj := t.kind.New()
	next.SetManagedFields(nil)
	if err := apiruntime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": next.Object["metadata"]}, obj); err != nil {
		return nil, err
	}
	runtime.Meta(obj).ManagedFields = owners
	for _, name := range notContent {
		delete(next.Object, name)
	}
	return Document{obj, next.Object}, nil
}

// notContent are the members of an object that are not in the Content of a Document.
var notContent = []string{"apiVersion", "kind", "metadata"}

// Unstructured is the Content as unstructured objects have it, in memory of its own.
func (d Document) Unstructured() map[string]any { return copied(d.Content).(map[string]any) }

// unstructured is the whole of a document.
func (d Document) unstructured() (*unstructured.Unstructured, error) {
	meta, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(runtime.Meta(d.Object))
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: d.Unstructured()}
	u.Object["metadata"] = meta
	u.SetGroupVersionKind(d.GetObjectKind().GroupVersionKind())
	return u, nil
}

// copied is a copy of JSON in which the integers are those that unstructured objects have.
func copied(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, inner := range value {
			out[name] = copied(inner)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = copied(item)
		}
		return out
	case uint64:
		return float64(value)
	}
	return value
}

// ownersOf are the owners of an unstructured object, written as they always are.
func ownersOf(u *unstructured.Unstructured) ([]metav1.ManagedFieldsEntry, error) {
	entries := u.GetManagedFields()
	for i := range entries {
		fields := new(fieldpath.Set)
		if err := fields.FromJSON(bytes.NewReader(entries[i].FieldsV1.GetRawBytes())); err != nil {
			return nil, err
		}
		text, err := fields.ToJSON()
		if err != nil {
			return nil, err
		}
		entries[i].FieldsV1.SetRawBytes(text)
	}
	return entries, nil
}

// compare tells which fields of two documents differ, except for those that nobody owns.
func (a *applier) compare(live, obj Document) (*fieldset.Comparison, error) {
	was, err := a.typed(live)
	if err != nil {
		return nil, err
	}
	is, err := a.typed(obj)
	if err != nil {
		return nil, err
	}
	difference, err := was.Compare(is)
	if err != nil {
		return nil, err
	}
	return fieldset.Of(difference.Added.Union(difference.Modified), difference.Removed), nil
}

func (a *applier) typed(d Document) (*typed.TypedValue, error) {
	u, err := d.unstructured()
	if err != nil {
		return nil, err
	}
	// These are nobody's; the metadata itself is always there.
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"} {
		delete(u.Object["metadata"].(map[string]any), name)
	}
	return a.types.ObjectToTyped(u, typed.AllowDuplicates)
}
