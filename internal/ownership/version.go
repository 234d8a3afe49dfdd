package ownership

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/internal/ownership/tree"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
)

// version is a version of a kind, and the schema of its objects.
type version struct {
	*runtime.Kind
	schema *tree.Type
}

// fitting returns the version of the tracker, or an error if an empty object does not fit its
// schema.
func (t *Tracker) fitting() (version, error) {
	gvk := t.kind.GroupVersionKind()
	schema, err := t.schemas.of(gvk)
	if err != nil {
		return version{}, err
	}
	v := version{t.kind, schema}
	empty := t.kind.New()
	empty.GetObjectKind().SetGroupVersionKind(gvk)
	object, err := t.treeOf(v, empty)
	if err == nil {
		err = v.schema.Check(object, true)
	}
	if err != nil {
		return version{}, fmt.Errorf("the OpenAPI schema of %s does not fit its Go type: %w", gvk, err)
	}
	return v, nil
}

// versionOf returns the version with a name. ok is false for one that is no longer served or has no
// schemas: its managers have no fields any more.
func (t *Tracker) versionOf(name string) (v version, ok bool, err error) {
	gv, err := schema.ParseGroupVersion(name)
	if err != nil {
		return v, false, err
	}
	gvk := gv.WithKind(t.kind.GroupVersionKind().Kind)
	kind, err := t.scheme.Kind(gvk)
	if err != nil || kind.Hub() != t.kind.Hub() {
		return v, false, nil
	}
	schema, err := t.schemas.of(gvk)
	return version{kind, schema}, schema != nil, err
}

// read makes an object of a tree, and its JSON.
func (v version) read(object map[string]any) (runtime.Object, []byte, error) {
	text := jsontree.Append(nil, object)
	obj := v.New()
	if _, err := v.ReadJSON(text, obj); err != nil {
		return nil, nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(v.GroupVersionKind())
	return obj, text, nil
}

// treeOf is the tree of an object of a version, without its owners.
func (t *Tracker) treeOf(v version, obj runtime.Object) (map[string]any, error) {
	if d, ok := obj.(Document); ok {
		return d.tree()
	}
	meta := runtime.Meta(obj)
	owners := meta.ManagedFields
	meta.ManagedFields = nil
	text, err := v.AppendJSON(nil, obj)
	meta.ManagedFields = owners
	if err != nil {
		return nil, err
	}
	return jsontree.ReadShared(text)
}

// tree is the whole of a document, without its owners.
func (d Document) tree() (map[string]any, error) {
	meta := *runtime.Meta(d.Object)
	meta.ManagedFields = nil
	text, err := apimachineryjson.AppendJSON_ObjectMeta(nil, &meta)
	if err != nil {
		return nil, err
	}
	object := maps.Clone(d.Content)
	if object == nil {
		object = map[string]any{}
	}
	if object["metadata"], err = jsontree.Read(text, nil); err != nil {
		return nil, err
	}
	object["apiVersion"], object["kind"] = d.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	return object, nil
}

// document is the Document of a tree. Its Go value has nothing but its metadata.
func (t *Tracker) document(object map[string]any) (Document, error) {
	obj := t.kind.New()
	obj.GetObjectKind().SetGroupVersionKind(t.kind.GroupVersionKind())
	if meta, ok := object["metadata"].(map[string]any); ok {
		r := runtimejson.NewReader(jsontree.Append(nil, meta))
		apimachineryjson.ReadJSON_ObjectMeta(r, runtime.Meta(obj))
		if err := r.Err(); err != nil {
			return Document{}, err
		}
	}
	return Document{obj, without(object, "apiVersion", "kind", "metadata")}, nil
}

// nothing is an object that was never stored.
func (t *Tracker) nothing() runtime.Object {
	obj := t.kind.New()
	obj.GetObjectKind().SetGroupVersionKind(t.kind.GroupVersionKind())
	if t.documents {
		return Document{obj, map[string]any{}}
	}
	return obj
}

// convert converts a tree to another version.
func (t *Tracker) convert(object map[string]any, from, to version) (map[string]any, error) {
	if from.Kind == to.Kind {
		return object, nil
	}
	obj, _, err := from.read(object)
	if err != nil {
		return nil, err
	}
	if obj, err = t.scheme.Convert(obj, to.GroupVersionKind()); err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(to.GroupVersionKind())
	return t.treeOf(to, obj)
}

// author is an entry for a manager that writes by the tracker.
func (t *Tracker) author(manager string, operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
	if manager == "" {
		manager = "unknown"
	}
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: operation, APIVersion: t.kind.GroupVersionKind().GroupVersion().String(), Subresource: t.subresource,
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
