package ownership

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime"
)

// applier carries out apply patches.
type applier struct {
	types  managedfields.TypeConverter
	fields *managedfields.FieldManager
}

func (t *Tracker) newApplier(s *Schemas) (*applier, error) {
	m, err := s.read()
	if err != nil {
		return nil, err
	}
	types, ignored := m.types, fieldpath.NewSet()
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

// Check says what is wrong with the content of an apply patch by the schema of the kind: unknown fields, and items of a
// list that are there twice. broken is that the schema itself is of no use.
func (t *Tracker) Check(content map[string]any) (wrong, broken error) {
	a, err := t.applier()
	if err != nil {
		return nil, err
	}
	_, err = a.types.ObjectToTyped(&unstructured.Unstructured{Object: content})
	return err, nil
}

// Apply makes the next object of live, whatever it was before, by what manager wants its fields to be, which is the content
// of an apply patch that Check finds nothing wrong with. A conflict with another manager is an API status; force takes the
// fields over. The result is defaulted and knows its owners. Neither live nor content is modified.
func (t *Tracker) Apply(live runtime.Object, content map[string]any, manager string, force bool) (runtime.Object, error) {
	a, err := t.applier()
	if err != nil {
		return nil, err
	}
	patch := &unstructured.Unstructured{Object: apiruntime.DeepCopyJSON(content)}
	next, err := a.fields.Apply(live, patch, manager, force)
	if err != nil {
		return nil, err
	}
	return next.(runtime.Object), nil
}

// UpdateBySchema is Update by apimachinery's managedfields, which is slow: for kinds that gen has printed no functions for,
// and to compare with in tests.
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
	next, err := a.fields.Update(live, obj, manager)
	if err != nil {
		return nil, err
	}
	return runtime.Meta(next.(runtime.Object)).ManagedFields, nil
}

// Check says what is wrong with entries of managedFields that somebody has made of known ones, which are not looked at again.
func Check(entries, known []metav1.ManagedFieldsEntry) error {
	if len(entries) == 0 || len(entries) == len(known) && &entries[0] == &known[0] {
		return nil
	}
	return managedfields.ValidateManagedFields(entries)
}
