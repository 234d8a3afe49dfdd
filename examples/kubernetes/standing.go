package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry/rest"
)

// systemPriorities are the classes that every cluster has.
func systemPriorities() []*schedulingv1.PriorityClass {
	class := func(name string, value int32, text string) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, Description: text, PreemptionPolicy: new(corev1.PreemptLowerPriority),
		}
	}
	return []*schedulingv1.PriorityClass{
		class("system-node-critical", 2_000_001_000, "Used for system critical pods that must not be moved from their current node."),
		class("system-cluster-critical", 2_000_000_000, "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."),
	}
}

// standing makes what every cluster begins with.
func standing() typeplane.API {
	return typeplane.API{Extend: func(ctx context.Context, h *typeplane.Host) error {
		classes := h.Resource(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), "")
		for _, class := range systemPriorities() {
			_, err := classes.Create.Create(ctx, new(rest.Request), rest.Name{}, class, metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("create the priority class %s: %w", class.Name, err)
			}
		}
		return nil
	}}
}
