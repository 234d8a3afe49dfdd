package ownershiptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/runtime"
)

// lastApplied is what kubectl keeps of what it applied itself.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// apply applies something to the last object, and says whether both ways agree about what becomes
// of it. What a manager applies is mostly what it applied before, a little changed.
func (h *history) apply(w writer) bool {
	live, ok := h.live(w)
	if !ok {
		return true
	}
	manager := []string{"a", "b", "c", "kubectl"}[h.random.IntN(4)]
	content := h.content(w, live, manager)
	force := h.random.IntN(3) == 0
	if manager == "kubectl" && h.random.IntN(3) == 0 {
		h.annotate(live, content)
	}
	before := fmt.Sprintf("%s\n%s", show(live), text(content))
	fail := func(format string, args ...any) bool {
		h.t.Errorf("%s applies in %s, %q, documents %v, force %v: %s\n%s", manager, w.kind.GroupVersionKind(), w.part, w.documents, force, fmt.Sprintf(format, args...), before)
		return false
	}

	_, wrong := w.oracle.types.ObjectToTyped(&unstructured.Unstructured{Object: content})
	err := w.tracker.Check(content)
	if (err != nil) != (wrong != nil) {
		return fail("error %v, want %v", err, wrong)
	}
	if wrong != nil {
		message := strings.TrimPrefix(err.Error(), "error decoding patch: ")
		if !strings.HasPrefix(message, "errors:") && !strings.HasPrefix(wrong.Error(), "errors:") && message != wrong.Error() {
			return fail("error %v, want %v", err, wrong)
		}
		return true
	}
	obj := w.given(live)
	want, wantErr := w.oracle.apply(obj, content, manager, force)
	got, sent, _, err := w.tracker.Apply(obj, content, manager, force)
	switch {
	case wantErr != nil && !apierrors.IsConflict(wantErr):
		return true // some of what chance makes is no valid object; nobody needs to agree about that
	case wantErr != nil:
		h.conflicts++
		if diff := conflictsDiffer(err, wantErr); diff != "" {
			return fail("%s", diff)
		}
		return true
	case err != nil:
		return fail("%v", err)
	}
	h.compared++
	h.applied[manager] = content
	if diff := difference(runtime.Meta(got).ManagedFields, ownersOf(want)); diff != "" {
		return fail("%s", diff)
	}
	if diff := timesDiffer(runtime.Meta(got).ManagedFields, ownersOf(want)); diff != "" {
		return fail("%s", diff)
	}
	if a, b := withoutOwners(got), withoutOwners(want); !reflect.DeepEqual(a, b) {
		return fail("it makes\n%s\nwant\n%s", text(a), text(b))
	}
	if sent != nil {
		again, err := read(w.kind, sent)
		if err != nil {
			return fail("what was sent: %v", err)
		}
		h.scheme.Default(again)
		delete(runtime.Meta(again).Annotations, lastApplied)
		other := copied(got)
		delete(runtime.Meta(other).Annotations, lastApplied)
		if a, b := withoutOwners(again), withoutOwners(other); !reflect.DeepEqual(a, b) {
			return fail("what was sent is\n%s\nwant\n%s", text(a), text(b))
		}
	}
	next := got
	if d, ok := got.(ownership.Document); ok {
		object := maps.Clone(d.Content)
		object["metadata"] = withoutOwners(d)["metadata"]
		if next, err = read(w.kind, jsontree.Append(nil, object)); err != nil {
			return true
		}
	}
	runtime.Meta(next).ManagedFields = h.aged(runtime.Meta(got).ManagedFields)
	return h.keep(w.kind, next)
}

// content is what a manager applies next.
func (h *history) content(w writer, live runtime.Object, manager string) map[string]any {
	content := h.applied[manager]
	if content == nil || content["apiVersion"] != w.kind.GroupVersionKind().GroupVersion().String() || h.random.IntN(3) == 0 {
		edited := copied(live)
		edit := &editor{random: h.random}
		for range h.random.IntN(4) {
			edit.object(edited)
		}
		content = withoutOwners(h.received(w.kind, edited))
	}
	content, _ = h.some(content).(map[string]any)
	content["apiVersion"], content["kind"] = w.kind.GroupVersionKind().ToAPIVersionAndKind()
	if meta, ok := content["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
	} else {
		delete(content, "metadata") // of null the library makes a document that can have no owners
	}
	switch h.random.IntN(30) {
	case 0:
		content["unknown"] = "a"
	case 1:
		h.twice(content)
	}
	return content
}

// some is a copy of most of a value. No item of a list is empty, as one may be whose key has a
// default. The library takes such an item out of the object when its manager applies it again.
func (h *history) some(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch h.random.IntN(40) {
			case 0, 1, 2, 3, 4:
			case 5:
				out[name] = nil
			default:
				out[name] = h.some(value[name])
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range value {
			if h.random.IntN(10) == 0 {
				continue
			}
			item = h.some(item)
			if object, ok := item.(map[string]any); !ok || len(object) > 0 {
				out = append(out, item)
			}
		}
		if len(out) > 1 && h.random.IntN(4) == 0 {
			slices.Reverse(out)
		}
		return out
	}
	return value
}

// twice puts an item into some list again.
func (h *history) twice(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if list, ok := value[name].([]any); ok && len(list) > 0 && h.random.IntN(2) == 0 {
				value[name] = append(list, list[0])
				return true
			}
			if h.twice(value[name]) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, h.twice)
	}
	return false
}

// annotate makes an object look as if kubectl had applied something like content by itself.
func (h *history) annotate(live runtime.Object, content map[string]any) {
	meta := runtime.Meta(live)
	if meta.Annotations == nil {
		meta.Annotations = map[string]string{}
	}
	meta.Annotations[lastApplied] = text(h.some(content))
}

// document is an object as somebody sent it who is fond of nulls and empty values. It is the same
// for the same object.
func document(kind *runtime.Kind, obj runtime.Object) ownership.Document {
	bare := copied(obj)
	runtime.Meta(bare).ManagedFields = nil // whose fields may be no JSON
	object := withoutOwners(bare)
	content := maps.Clone(object)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(content, name)
	}
	for _, part := range content {
		emptied(part)
	}
	of, err := read(kind, jsontree.Append(nil, object)) // which has the same parts
	if err != nil {
		panic(err)
	}
	*runtime.Meta(of) = *runtime.Meta(copied(obj))
	return ownership.Document{Object: of, Content: content}
}

// emptied makes some members of objects null or empty.
func emptied(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			switch chance := crc32.ChecksumIEEE([]byte(name + text(inner))); inner := inner.(type) {
			case map[string]any:
				if chance%12 == 0 {
					value[name] = map[string]any{}
				}
			case []any:
				if chance%6 == 0 || len(inner) == 1 && chance%2 == 0 {
					value[name] = []any{}
				}
			default:
				if chance%15 == 0 {
					value[name] = nil
				}
			}
			emptied(value[name])
		}
	case []any:
		for _, item := range value {
			emptied(item)
		}
	}
}

// withoutOwners is an object in JSON. Its metadata is as a Go value has it.
func withoutOwners(obj apiruntime.Object) map[string]any {
	if d, ok := obj.(ownership.Document); ok {
		obj = whole(d.Object, d.Content)
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		var sent struct{ Metadata metav1.ObjectMeta }
		if err := apiruntime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": u.Object["metadata"]}, &sent); err != nil {
			panic(err)
		}
		meta, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(&sent.Metadata)
		if err != nil {
			panic(err)
		}
		object := maps.Clone(u.Object)
		object["metadata"] = meta
		obj = &unstructured.Unstructured{Object: object}
	}
	data, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	object, err := jsontree.Read(data, nil)
	if err != nil {
		panic(err)
	}
	if meta, ok := object["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
	}
	return object
}

func read(kind *runtime.Kind, data []byte) (runtime.Object, error) {
	obj := kind.New()
	_, err := kind.ReadJSON(data, obj)
	obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind())
	return obj, err
}

func text(value any) string { return string(jsontree.Append(nil, value)) }

// conflictsDiffer compares two errors, the order of managers aside.
func conflictsDiffer(got, want error) string {
	lines := func(err error) []string {
		var status *apierrors.StatusError
		if !errors.As(err, &status) || status.ErrStatus.Details == nil {
			return []string{fmt.Sprint(err)}
		}
		causes := []string{status.ErrStatus.Message}
		for _, c := range status.ErrStatus.Details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s %s", c.Type, c.Field, c.Message))
		}
		slices.Sort(causes)
		return causes
	}
	if a, b := lines(got), lines(want); !slices.Equal(a, b) {
		return fmt.Sprintf("error\n%s\nwant\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	return ""
}

// timesDiffer says for which entry only one of two lists has a time of this run.
func timesDiffer(got, want []metav1.ManagedFieldsEntry) string {
	fresh := func(e metav1.ManagedFieldsEntry) string {
		switch {
		case e.Time == nil:
			return "none"
		case e.Time.Unix() > 1e9:
			return "now"
		}
		return e.Time.String()
	}
	for _, a := range got {
		for _, b := range want {
			if a.Manager == b.Manager && a.Operation == b.Operation && a.APIVersion == b.APIVersion && a.Subresource == b.Subresource && fresh(a) != fresh(b) {
				return fmt.Sprintf("the time of %s is %s, want %s", a.Manager, fresh(a), fresh(b))
			}
		}
	}
	return ""
}
