package ownership

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// labelled is a widget with so many labels, each of which has an owner of its own.
func labelled(size int, value string, operation metav1.ManagedFieldsOperationType) *widget.V1 {
	w := new(widget.V1)
	w.SetGroupVersionKind(widget.GV1.WithKind("Widget"))
	w.UID, w.Labels = "1", make(map[string]string, size)
	for i := range size {
		name := fmt.Sprint("label", i)
		w.Labels[name] = value
		w.ManagedFields = append(w.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: name, Operation: operation, APIVersion: widget.GV1.String(), FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:` + name + `":{}}}}`),
		})
	}
	return w
}

// What many owners of many fields cost does not grow with the square of their number.
func TestGrowth(t *testing.T) {
	scheme := widget.Scheme()
	kind, err := scheme.Kind(widget.GV1.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := NewTracker(New(widget.OpenAPI()), scheme, kind, "")
	if err != nil {
		t.Fatal(err)
	}
	patch := func(w *widget.V1) map[string]any {
		labels := make(map[string]any, len(w.Labels))
		for name := range w.Labels {
			labels[name] = "applied"
		}
		return map[string]any{"apiVersion": widget.GV1.String(), "kind": "Widget", "metadata": map[string]any{"labels": labels}}
	}
	for _, work := range []struct {
		name      string
		operation metav1.ManagedFieldsOperationType
		do        func(live *widget.V1) error
	}{
		{"all lose their fields", metav1.ManagedFieldsOperationApply, func(live *widget.V1) error {
			owners, err := tracker.Update(live, labelled(len(live.Labels), "b", metav1.ManagedFieldsOperationApply), "me")
			if len(owners) != 1 {
				return fmt.Errorf("there are %d owners: %w", len(owners), err)
			}
			return err
		}},
		{"the oldest are joined", metav1.ManagedFieldsOperationUpdate, func(live *widget.V1) error {
			obj := labelled(len(live.Labels), "a", metav1.ManagedFieldsOperationUpdate)
			obj.Labels["mine"] = "a"
			owners, err := tracker.Update(live, obj, "me")
			if len(owners) != maxUpdaters {
				return fmt.Errorf("there are %d owners: %w", len(owners), err)
			}
			return err
		}},
		{"all are in conflict", metav1.ManagedFieldsOperationApply, func(live *widget.V1) error {
			if _, _, _, err := tracker.Apply(live, patch(live), "me", false); !apierrors.IsConflict(err) {
				return fmt.Errorf("there is no conflict, but %w", err)
			}
			return nil
		}},
		{"all are forced", metav1.ManagedFieldsOperationApply, func(live *widget.V1) error {
			next, _, _, err := tracker.Apply(live, patch(live), "me", true)
			if err != nil {
				return err
			}
			if owners := runtime.Meta(next).ManagedFields; len(owners) != 1 {
				return fmt.Errorf("there are %d owners", len(owners))
			}
			return nil
		}},
		{"the last fields are taken out", metav1.ManagedFieldsOperationApply, func(live *widget.V1) error {
			content := patch(live)
			content["metadata"] = map[string]any{"labels": map[string]any{"other": "a"}}
			next, _, _, err := tracker.Apply(live, content, "label0", true)
			if got := runtime.Meta(next).Labels; err == nil && len(got) != len(live.Labels) {
				return fmt.Errorf("there are %d labels of %d", len(got), len(live.Labels))
			}
			return err
		}},
	} {
		t.Run(work.name, func(t *testing.T) {
			runtimetest.Growth(t, 500, func(size int) func() {
				live := labelled(size, "a", work.operation)
				return func() {
					if err := work.do(live); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// A tree that has no room is refused in words that say what to do.
func TestSizeOfWhatIsApplied(t *testing.T) {
	list := make([]any, maxValues-1)
	if err := checkSize("the patch", map[string]any{"a": list}); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	err := checkSize("the patch", map[string]any{"a": map[string]any{"b": list}})
	if !apierrors.IsRequestEntityTooLargeError(err) {
		t.Errorf("one more: %v", err)
	}
}
