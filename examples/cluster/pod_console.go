package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/cluster/console"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
)

// consoles are those of all containers that this process knows of: nothing runs them, but something
// is said in their name.
var consoles console.Consoles

// Log answers GET …/pods/{name}/log with what is on the console of a container.
func (PodStrategy) Log(_ context.Context, of *registry.Parent[*corev1.Pod], opts *corev1.PodLogOptions) (http.Handler, error) {
	pod := of.Object
	if errs := validateLogOptions(opts); len(errs) > 0 {
		return nil, rest.Invalid(schema.GroupKind{Kind: "PodLogOptions"}, pod.Name, errs)
	}
	container, err := containerOf(pod, opts.Container)
	if err != nil {
		return nil, err
	}
	if opts.Previous {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("previous terminated container %q in pod %q not found", container, pod.Name))
	}
	return console.Log(consoles.Of(pod.UID, container), opts), nil
}

func validateLogOptions(opts *corev1.PodLogOptions) field.ErrorList {
	var errs field.ErrorList
	if n := opts.TailLines; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(field.NewPath("tailLines"), *n, "must be greater than or equal to 0"))
	}
	for name, n := range map[string]*int64{"limitBytes": opts.LimitBytes, "sinceSeconds": opts.SinceSeconds} {
		if n != nil && *n < 1 {
			errs = append(errs, field.Invalid(field.NewPath(name), *n, "must be greater than 0"))
		}
	}
	if opts.SinceSeconds != nil && opts.SinceTime != nil {
		errs = append(errs, field.Forbidden(field.NewPath("sinceTime"), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	}
	if opts.Stream != nil {
		errs = append(errs, oneOf(field.NewPath("stream"), *opts.Stream, corev1.LogStreamAll, corev1.LogStreamStdout, corev1.LogStreamStderr)...)
	}
	slices.SortFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	return errs
}

// Attach answers …/pods/{name}/attach. An attached client sees what is printed on the console of a
// container, and types on it. Only a pod that has a node has somebody who could read it.
func (PodStrategy) Attach(_ context.Context, of *registry.Parent[*corev1.Pod], opts *corev1.PodAttachOptions) (http.Handler, error) {
	pod := of.Object
	container, err := containerOf(pod, opts.Container)
	if err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
	}
	if !opts.Stdin && !opts.Stderr {
		opts.Stdout = true // who says nothing else wants to see what happens
	}
	return console.Attach(consoles.Of(pod.UID, container), opts), nil
}

// containerOf is the container that a client means; it need not say which one if there is no other.
func containerOf(pod *corev1.Pod, name string) (string, error) {
	names := func(list []corev1.Container) (names []string) {
		for i := range list {
			names = append(names, list[i].Name)
		}
		return names
	}
	containers, before := names(pod.Spec.Containers), names(pod.Spec.InitContainers)
	var later []string
	for i := range pod.Spec.EphemeralContainers {
		later = append(later, pod.Spec.EphemeralContainers[i].Name)
	}
	switch {
	case name == "" && len(containers) == 1:
		return containers[0], nil
	case name == "":
		message := fmt.Sprintf("a container name must be specified for pod %s, choose one of: %s", pod.Name, containers)
		if len(before) > 0 {
			message += fmt.Sprintf(" or one of the init containers: %s", before)
		}
		if len(later) > 0 {
			message += fmt.Sprintf(" or one of the ephemeral containers: %s", later)
		}
		return "", apierrors.NewBadRequest(message)
	case !slices.Contains(slices.Concat(containers, before, later), name):
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	}
	return name, nil
}
