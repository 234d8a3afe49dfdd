package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// validateRestarted judges what a status says of containers that had ended: they begin again only
// where their pod lets them. So do ValidateContainerStateTransition and its like in
// pkg/apis/core/validation of Kubernetes.
func validateRestarted(status, was *corev1.PodStatus, spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	errs := validateStates(status.EphemeralContainerStatuses, was.EphemeralContainerStatuses, nil, spec, path.Child("ephemeralContainerStatuses"))
	if restartsAll(spec) {
		return errs
	}
	errs = append(errs, validateStates(status.ContainerStatuses, was.ContainerStatuses, spec.Containers, spec, path.Child("containerStatuses"))...)
	return append(errs, validateStates(status.InitContainerStatuses, was.InitContainerStatuses, spec.InitContainers, spec, path.Child("initContainerStatuses"))...)
}

// validateStates judges the states of containers. One that is not among those of the pod has no
// reason to begin again.
func validateStates(is, was []corev1.ContainerStatus, of []corev1.Container, spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !slices.ContainsFunc(was, hasEnded) {
		return nil
	}
	going, containers := map[string]bool{}, map[string]*corev1.Container{}
	for _, s := range is {
		going[s.Name] = going[s.Name] || !hasEnded(s)
	}
	for i := range of {
		containers[of[i].Name] = &of[i]
	}
	for i, s := range rest.WhileFew(&errs, slices.All(was)) {
		if c := containers[s.Name]; hasEnded(s) && going[s.Name] && (c == nil || !beginsAgain(c, spec, s.State.Terminated.ExitCode)) {
			errs = append(errs, field.Forbidden(path.Index(i).Child("state"), "may not be transitioned to non-terminated state"))
		}
	}
	return errs
}

func hasEnded(s corev1.ContainerStatus) bool { return s.State.Terminated != nil }

// restartsAll says whether the end of a container may begin all others again.
func restartsAll(spec *corev1.PodSpec) bool {
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		if slices.ContainsFunc(c.RestartPolicyRules, func(r corev1.ContainerRestartRule) bool {
			return r.Action == corev1.ContainerRestartRuleActionRestartAllContainers
		}) {
			return true
		}
	}
	return false
}

// beginsAgain says whether a container that ended with a code begins again: by its rules, or else
// by its own policy, or else by that of its pod.
func beginsAgain(c *corev1.Container, spec *corev1.PodSpec, code int32) bool {
	policy := spec.RestartPolicy
	if c.RestartPolicy != nil {
		if slices.ContainsFunc(c.RestartPolicyRules, func(r corev1.ContainerRestartRule) bool { return isAbout(r.ExitCodes, code) }) {
			return true
		}
		policy = corev1.RestartPolicy(*c.RestartPolicy)
	}
	switch policy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return code != 0
	}
	return true
}

// isAbout says whether a rule is about a code.
func isAbout(codes *corev1.ContainerRestartRuleOnExitCodes, code int32) bool {
	if codes == nil {
		return false
	}
	listed := slices.Contains(codes.Values, code)
	return listed && codes.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn || !listed && codes.Operator == corev1.ContainerRestartRuleOnExitCodesOpNotIn
}
