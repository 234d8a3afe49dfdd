package apistatus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
)

// ErrModified is in the words that clients look for when they decide to read again and retry.
var ErrModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

const (
	retryUnavailable = 2 // seconds, for CodeUnavailable
	retryNoQuorum    = 1 // seconds, for CodeUnavailable that costs nothing
	retryFuture      = 1 // seconds, for CodeFuture
	retryNotReady    = 1 // seconds, for CodeNotReady
	retryMoved       = 1 // seconds, for CodeMoved
)

// Of turns an error of the store into the API's: the one border between the two. verb is what was
// asked for. An error that is an API status already, or the context's, is returned as it is. One
// that the store has given a code is what the code says, also if the cause was a context. That need
// not be the request's, and a write may have been carried out.
func Of(err error, verb string, resource schema.GroupResource, name string) error {
	var status apierrors.APIStatus
	if err == nil || errors.As(err, &status) {
		return err
	}
	var e *storage.Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return apierrors.NewInternalError(err)
	}
	switch e.Code {
	case storage.CodeNotFound:
		return apierrors.NewNotFound(resource, name)
	case storage.CodeExists:
		return apierrors.NewAlreadyExists(resource, name)
	case storage.CodeConflict:
		return apierrors.NewConflict(resource, name, ErrModified)
	case storage.CodeCorrupt:
		return storeReadError(resource, err)
	case storage.CodeCompacted:
		return tooOldResourceVersion(e)
	case storage.CodeFuture:
		return tooLargeResourceVersion(e.Revision, e.Current)
	case storage.CodeTooLarge:
		return apierrors.NewRequestEntityTooLargeError("the object is over the limit of the storage; make it smaller")
	case storage.CodeUnavailable:
		if errors.Is(e, storage.ErrNoQuorum) {
			return becauseOf(e, noQuorum(resource, verb))
		}
		if errors.Is(e, storage.ErrNoAnswer) {
			// No retryAfterSeconds: kubectl would try again ten times, and wait as long each time.
			return becauseOf(e, apierrors.NewTimeoutError("the storage did not answer in time; nothing was changed", 0))
		}
		return becauseOf(e, apierrors.NewServerTimeout(resource, verb, retryUnavailable))
	case storage.CodeMoved:
		return becauseOf(e, moving(resource, verb))
	case storage.CodeNoSpace:
		return becauseOf(e, insufficientStorage(e, resource, verb))
	case storage.CodeFailed:
		return becauseOf(e, apierrors.NewInternalError(errors.New(cmp.Or(e.Told, "the storage has failed"))))
	case storage.CodeUnknown:
		// No retryAfterSeconds: a client that retries by itself must not repeat what may have
		// happened.
		return becauseOf(e, apierrors.NewTimeoutError("the storage did not answer in time; the request may or may not have been carried out: read the object to find out", 0))
	case storage.CodeNotReady:
		return becauseOf(e, apierrors.NewTooManyRequests("the watch cache is still being filled; try again", retryNotReady))
	case storage.CodeInvalidKey:
		return apierrors.NewBadRequest(fmt.Sprintf("invalid name or namespace: %v", e.Err))
	}
	return apierrors.NewInternalError(err)
}

// becauseOf keeps the cause for the log and for the server's own callers. The client gets the
// status alone.
func becauseOf(e *storage.Error, status *apierrors.StatusError) error {
	return fmt.Errorf("%w: %w", status, e)
}

// noQuorum is for a request that was not carried out, since it is known that nothing can be.
func noQuorum(resource schema.GroupResource, verb string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    503,
		Reason:  metav1.StatusReasonServiceUnavailable,
		Message: "the storage has no quorum: most of its members are down or can't be reached, so the request was not carried out; reads with resourceVersion=0 are answered",
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: verb, RetryAfterSeconds: retryNoQuorum},
	}}
}

// moving is for a request for objects that move to another etcd, which takes a moment.
func moving(resource schema.GroupResource, verb string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    503,
		Reason:  metav1.StatusReasonServiceUnavailable,
		Message: fmt.Sprintf("the objects of %s are being moved to another etcd, so the request was not carried out; try again", resource),
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: verb, RetryAfterSeconds: retryMoved},
	}}
}

// insufficientStorage is for a write for which the storage has no room. It has no
// retryAfterSeconds: somebody must make room first, and clients that try again by themselves would
// only be in the way.
func insufficientStorage(e *storage.Error, resource schema.GroupResource, verb string) *apierrors.StatusError {
	message := "the storage has no space left, so the request was not carried out; objects can still be read and deleted"
	if e.Told != "" {
		message = "the request was not carried out: " + e.Told
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    507,
		Reason:  "InsufficientStorage",
		Message: message,
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: verb},
	}}
}

// tooOldResourceVersion is for a watch that would have to begin before the history that there is.
func tooOldResourceVersion(e *storage.Error) error {
	message := fmt.Sprintf("too old resource version: %d", e.Revision)
	if e.Oldest > 0 {
		message += fmt.Sprintf(" (%d)", e.Oldest)
	}
	return apierrors.NewResourceExpired(message)
}

// tooLargeResourceVersion is for a revision that the store has not reached. Clients know it by its
// cause.
func tooLargeResourceVersion(asked, current int64) error {
	status := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", asked, current), retryFuture)
	status.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return status
}

// Object is what a client reads of an error: in a watch it is the object of the last event.
func Object(err error) *metav1.Status {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		api = apierrors.NewInternalError(err)
	}
	s := api.Status()
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return &s
}

// OfAuthor makes an API status of what a function of an author returns: of errors of fields
// (field.Error, or several in field.ErrorList.ToAggregate) one that says that a kind is invalid.
// Everything that is no status already is the server's fault.
func OfAuthor(err error, kind schema.GroupKind, name string) error {
	if errs := fieldErrors(err); len(errs) > 0 {
		return rest.Invalid(kind, name, errs)
	}
	return Of(err, "answer", schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind)}, name)
}

// fieldErrors are the errors of fields that err consists of; none if there is anything else in it.
func fieldErrors(err error) field.ErrorList {
	var one *field.Error
	if errors.As(err, &one) {
		return field.ErrorList{one}
	}
	var several interface{ Errors() []error }
	if !errors.As(err, &several) {
		return nil
	}
	var list field.ErrorList
	for _, err := range several.Errors() {
		if !errors.As(err, &one) {
			return nil
		}
		list = append(list, one)
	}
	return list
}
