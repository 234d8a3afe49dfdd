// Package ensure makes the objects that a server has of itself: those that are missing, and those
// that differ from what they should be.
//
// It reads and writes through the verbs that clients have (rest.Getter and so on), in this process,
// and bears that others write the same, like a second server that starts. Start reading at Object.
// It does not know what an object should be, nor whose it is: that is the caller's.
package ensure

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// attempts is how often a write is tried against others who write the same.
const attempts = 10

// ErrAnew is the error of who can't make the wanted object of the one that is there. That is
// deleted, and the wanted one made in its place.
var ErrAnew = errors.New("the object is to be made anew")

// Pointer is a struct of a kind, by its pointer.
type Pointer[T any] interface {
	*T
	rest.Body
}

// Object makes an object, if it is missing. Else change makes of the one that is there what it
// should be, and it is written if it differs then. The errors are API statuses, or those of change.
func Object[T any, P Pointer[T]](ctx context.Context, r *rest.Resource, want P, change func(have P) error) error {
	name := rest.Name{Namespace: want.GetNamespace(), Name: want.GetName()}
	var err error
	for range attempts {
		have := P(new(T))
		switch err = read(ctx, r, name, have); {
		case apierrors.IsNotFound(err):
			_, err = r.Create.Create(ctx, new(rest.Request), name, want.DeepCopyObject().(P), metav1.CreateOptions{})
			if !apierrors.IsAlreadyExists(err) {
				return err
			}
			continue
		case err != nil:
			return err
		}
		next := have.DeepCopyObject().(P)
		switch err = change(next); {
		case errors.Is(err, ErrAnew):
			uid := have.GetUID()
			_, err = r.Delete.Delete(ctx, new(rest.Request), name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
			if err == nil {
				err = ErrAnew // in the next attempt
				continue
			}
		case err != nil || semantic.Equal(have, next):
			return err
		default:
			if _, _, err = r.Update.Update(ctx, new(rest.Request), name, next, metav1.UpdateOptions{}); err == nil {
				return nil
			}
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return err
}

func read(ctx context.Context, r *rest.Resource, name rest.Name, into any) error {
	view, err := r.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return rest.Read(view, into)
}
