package metadata

import (
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Whoever keeps the identity of an object can't do anything to its metadata that ValidateObjectMeta
// does not find.
func TestWhatKeepsIdentityIsNotAskedTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	one := func(values ...string) string { return values[random.IntN(len(values))] }
	now := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	later := metav1.NewTime(now.Add(time.Second))
	grace := int64(30)
	meta := func() *metav1.ObjectMeta {
		m := &metav1.ObjectMeta{
			Name: one("a", "a", "a", "b"), Namespace: one("ns", "ns", "ns", "other", "UPPER"), UID: types.UID(one("u", "u", "u", "v")),
			ResourceVersion: one("1", "1", "2", ""), Generation: int64(random.IntN(3) - 1), CreationTimestamp: now,
			Labels:      map[string]string{one("k", "k", "not a key"): one("v", "not a value!")},
			Annotations: map[string]string{one("k", "k", "not a key"): "v"},
		}
		switch random.IntN(8) {
		case 0:
			m.CreationTimestamp = later
		case 1:
			m.DeletionTimestamp = &now
		case 2:
			m.DeletionGracePeriodSeconds = &grace
		case 3:
			m.Finalizers = []string{one("example.com/a", "not a finalizer")}
		case 4:
			m.OwnerReferences = []metav1.OwnerReference{{Name: one("o", "")}}
		case 5:
			m.ManagedFields = []metav1.ManagedFieldsEntry{{Operation: metav1.ManagedFieldsOperationType(one("Update", "Replace"))}}
		}
		return m
	}
	anyName := func(string, bool) []string { return nil }
	kept := 0
	for range 20_000 {
		next, old := meta(), meta()
		if !keepsIdentity(next, old) {
			continue
		}
		kept++
		found := map[string]bool{}
		for _, err := range validation.ValidateObjectMeta(next, true, anyName, field.NewPath("metadata")) {
			found[err.Error()] = true
		}
		for _, err := range validation.ValidateObjectMetaUpdate(next, old, field.NewPath("metadata")) {
			if !found[err.Error()] {
				t.Fatalf("nobody would tell of %v\nold %+v\nnew %+v", err, old, next)
			}
		}
	}
	if kept < 500 {
		t.Errorf("only %d of the updates kept the identity", kept)
	}
}
