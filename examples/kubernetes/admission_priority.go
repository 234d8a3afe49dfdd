package kubernetes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
)

// newPriority gives a pod the number that its priority class stands for, for as long as it lives.
func newPriority(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), "")
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Subresource == "" && r.Resource.Group == "" && r.Resource.Resource == "pods" && r.Operation != admission.Delete
		},
		Mutate: func(ctx context.Context, r *admission.Request) error {
			pod, ok := r.Object.(*corev1.Pod)
			if !ok {
				return nil
			}
			if old, ok := r.Old.(*corev1.Pod); ok {
				if pod.Spec.Priority == nil {
					pod.Spec.Priority = old.Spec.Priority
				}
				if pod.Spec.PreemptionPolicy == nil {
					pod.Spec.PreemptionPolicy = old.Spec.PreemptionPolicy
				}
				return nil
			}
			class, err := priorityClass(ctx, classes, pod.Spec.PriorityClassName)
			if err == nil {
				err = setPriority(&pod.Spec, class)
			}
			if err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
				return err // of reading the classes
			}
			return admission.Forbidden(r, err)
		},
	}, nil
}

// priorityClass is the one of a name, or for "" the default one, which may be an empty one.
func priorityClass(ctx context.Context, classes *rest.Resource, name string) (*schedulingv1.PriorityClass, error) {
	if name != "" {
		class, err := get[schedulingv1.PriorityClass](ctx, classes, name)
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("no PriorityClass with name %s was found", name)
		}
		return class, err
	}
	var all schedulingv1.PriorityClassList
	if err := list(ctx, classes, &all); err != nil {
		return nil, err
	}
	standard := &schedulingv1.PriorityClass{PreemptionPolicy: new(corev1.PreemptLowerPriority)}
	for i := range all.Items {
		if class := &all.Items[i]; class.GlobalDefault && (standard.Name == "" || class.Value < standard.Value) {
			standard = class
		}
	}
	return standard, nil
}

// setPriority writes down what a class says. Nobody else may say something else.
func setPriority(spec *corev1.PodSpec, class *schedulingv1.PriorityClass) error {
	if p := spec.Priority; p != nil && *p != class.Value {
		return fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", *p, class.Value)
	}
	spec.PriorityClassName, spec.Priority = class.Name, new(class.Value)
	if class.PreemptionPolicy == nil {
		return nil
	}
	if p := spec.PreemptionPolicy; p != nil && *p != *class.PreemptionPolicy {
		return fmt.Errorf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name", *p, *class.PreemptionPolicy)
	}
	spec.PreemptionPolicy = new(*class.PreemptionPolicy)
	return nil
}
