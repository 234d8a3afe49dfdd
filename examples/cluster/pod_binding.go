package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
)

// Binding answers POST …/pods/{name}/binding: the pod gets a node, once. It is how schedulers say
// what they have decided; an update of the pod can't.
func (PodStrategy) Binding(ctx context.Context, of *registry.Parent[*corev1.Pod], binding *corev1.Binding) (*metav1.Status, error) {
	if errs := validateBinding(binding); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	pod, err := of.Update(ctx, func(pod *corev1.Pod) error { return bind(pod, binding) })
	if err != nil {
		return nil, err
	}
	if !of.DryRun {
		for i := range pod.Spec.Containers {
			consoles.Of(pod.UID, pod.Spec.Containers[i].Name).Print(fmt.Appendf(nil, "pod %s/%s was assigned to %s\n", pod.Namespace, pod.Name, pod.Spec.NodeName))
		}
	}
	return &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated}, nil
}

func validateBinding(binding *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	target := field.NewPath("target")
	if kind := binding.Target.Kind; kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(target.Child("kind"), kind, []string{"Node", "<empty>"}))
	}
	name := binding.Target.Name
	if name == "" {
		return append(errs, field.Required(target.Child("name"), ""))
	}
	if len(errs) == 0 {
		errs = invalid(target.Child("name"), name, validation.NameIsDNSSubdomain(name, false))
	}
	return errs
}

// bind gives a pod its node, with what the scheduler notes about that. What stands in the way is a
// conflict.
func bind(pod *corev1.Pod, binding *corev1.Binding) error {
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, fmt.Errorf(format, args...))
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return conflict("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return conflict("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	pod.Spec.NodeName, pod.Status.NominatedNodeName = binding.Target.Name, ""
	merge(&pod.Annotations, binding.Annotations)
	merge(&pod.Labels, binding.Labels)
	setScheduled(&pod.Status)

	// Which pod is meant, by whoever has seen it.
	if binding.UID != "" {
		pod.UID = binding.UID
	}
	if binding.ResourceVersion != "" {
		pod.ResourceVersion = binding.ResourceVersion
	}
	return nil
}

// merge adds labels or annotations to others.
func merge(to *map[string]string, from map[string]string) {
	if *to == nil && len(from) > 0 {
		*to = map[string]string{}
	}
	maps.Copy(*to, from)
}

// setScheduled makes the condition true that waits for a node.
func setScheduled(status *corev1.PodStatus) {
	is := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now().Rfc3339Copy()}
	i := slices.IndexFunc(status.Conditions, func(c corev1.PodCondition) bool { return c.Type == is.Type })
	if i < 0 {
		status.Conditions = append(status.Conditions, is)
		return
	}
	if status.Conditions[i].Status == is.Status {
		is.LastTransitionTime = status.Conditions[i].LastTransitionTime
	}
	status.Conditions[i] = is
}

// bindings serves POST …/bindings, where the body alone says which pod is meant: older schedulers
// send it there.
func bindings() typeplane.API {
	return typeplane.API{
		Virtual: []string{"bindings"},
		Extend: func(_ context.Context, h *typeplane.Host) error {
			of := h.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "binding")
			if !h.Enabled("bindings") || of == nil {
				return nil
			}
			h.Resources = append(h.Resources, &rest.Resource{
				GroupVersion: of.GroupVersion, Kind: "Binding", Name: "bindings", Singular: "binding", Namespaced: true,
				BodyKind: of.BodyKind, NewBody: of.NewBody, AnswerKind: of.AnswerKind,
				Create: bindingCreator{of.Create},
			})
			return nil
		},
	}
}

// bindingCreator is the verb of pods/binding for a body that names the pod.
type bindingCreator struct{ binding rest.Creator }

func (c bindingCreator) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	binding := obj.(*corev1.Binding)
	if binding.Name == "" {
		return nil, apierrors.NewBadRequest("metadata.name must be the name of the pod")
	}
	return c.binding.Create(ctx, req, rest.Name{Namespace: name.Namespace, Name: binding.Name}, obj, opts)
}
