package apistatus

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/storage"
)

// maxUnreadable is how many objects that can't be read one answer names.
const maxUnreadable = 100

// unreadableError are the stored objects of a page that can't be decrypted, decoded or converted.
// They fail a list together, so that whoever has to mend or delete them learns of all at once.
type unreadableError struct {
	errs []error // at least one, maxUnreadable at most
	more bool    // there are more
}

// Unreadable returns the unreadable entries of a page among those that are wanted, nil if there
// are none.
func Unreadable(page storage.Page, wanted func(key string) bool) error {
	var u unreadableError
	for _, entry := range page.Entries {
		if entry.Err == nil || !wanted(entry.Key) {
			continue
		}
		if u.more = len(u.errs) == maxUnreadable; u.more {
			break
		}
		u.errs = append(u.errs, entry.Err)
	}
	if len(u.errs) == 0 {
		return nil
	}
	return &u
}

func (u *unreadableError) Error() string {
	if len(u.errs) == 1 {
		return u.errs[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", u.errs[0], len(u.errs)-1)
}

func (u *unreadableError) Unwrap() []error { return u.errs }

// causes names every object by its key in the storage.
func (u *unreadableError) causes() []metav1.StatusCause {
	var causes []metav1.StatusCause
	for _, err := range u.errs {
		cause := metav1.StatusCause{Type: metav1.CauseTypeUnexpectedServerResponse, Message: err.Error()}
		var e *storage.Error
		if errors.As(err, &e) {
			cause.Field = e.Key
		}
		causes = append(causes, cause)
	}
	if u.more {
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeTooMany, Message: fmt.Sprintf("there are more than these %d", len(u.errs))})
	}
	return causes
}

// storeReadError is for stored objects that can't be decrypted, decoded or converted.
func storeReadError(resource schema.GroupResource, err error) error {
	status := apierrors.NewInternalError(err)
	status.ErrStatus.Reason = metav1.StatusReasonStoreReadError
	status.ErrStatus.Message = fmt.Sprintf("failed to read one or more %s from the storage: %v", resource, err)
	status.ErrStatus.Details.Group, status.ErrStatus.Details.Kind = resource.Group, resource.Resource
	var several *unreadableError
	if errors.As(err, &several) {
		status.ErrStatus.Details.Causes = several.causes()
	}
	return status
}
