package ownership

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// What a client is told of conflicts is no multiple of the object, however long the name is that
// many of the fields are below of. It is told of how many it is not.
func TestTextOfConflictsIsBounded(t *testing.T) {
	var all conflicts
	with := &metav1.ManagedFieldsEntry{Manager: "other", Operation: metav1.ManagedFieldsOperationApply}
	for i := range 2_000 {
		all = append(all, conflict{with, "other", fieldpath.MakePathOrDie("spec", strings.Repeat("n", 100_000), fmt.Sprint(i))})
	}
	var status *apierrors.StatusError
	if !errors.As(all.status(), &status) {
		t.Fatal("it is no status")
	}
	size := len(status.ErrStatus.Message)
	for _, cause := range status.ErrStatus.Details.Causes {
		size += len(cause.Field)
	}
	named := len(status.ErrStatus.Details.Causes)
	if end := fmt.Sprintf("and %d more", len(all)-named); named == 0 || size > 4<<20 || !strings.HasSuffix(status.ErrStatus.Message, end) {
		t.Errorf("%d are named in %d bytes", named, size)
	}
}
