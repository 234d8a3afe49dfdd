package admission

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Forbidden is the status of a request that is refused because of err: a 403 that names the object,
// by its generateName if it has no name yet. A plug-in that returns any other error gets the same.
func Forbidden(r *Request, err error) *apierrors.StatusError {
	return apierrors.NewForbidden(r.Resource.GroupResource(), r.calls(), err)
}

// TooLate is the status of a create in a namespace that is on its way out. It has the cause by
// which controllers know that there is no use in trying again.
func TooLate(r *Request) *apierrors.StatusError {
	err := Forbidden(r, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", r.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", r.Namespace),
		Field:   "metadata.namespace",
	})
	return err
}

// calls is what messages call the object.
func (r *Request) calls() string {
	if r.Name != "" {
		return r.Name
	}
	if obj, ok := r.Object.(metav1.Object); ok {
		if obj.GetName() != "" {
			return obj.GetName()
		} else if obj.GetGenerateName() != "" {
			return obj.GetGenerateName()
		}
	}
	return "Unknown"
}
