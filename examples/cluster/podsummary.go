package main

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// podSummary is the state of a pod in one line.
type podSummary struct {
	status            string
	ready, containers int
	restarts          int
	restarted         time.Time // the last time
}

// summarize tells what people ask about a pod: not its phase, but the reason why it is not further,
// taken from the container that keeps it waiting. The words are those of Kubernetes.
func summarize(pod *corev1.Pod) podSummary {
	s := podSummary{status: string(pod.Status.Phase), containers: len(pod.Spec.Containers)}
	if pod.Status.Reason != "" {
		s.status = pod.Status.Reason
	}
	if slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated
	}) {
		s.status = corev1.PodReasonSchedulingGated
	}
	if initializing, sidecars := s.addInitContainers(pod); !initializing || hasCondition(pod, corev1.PodInitialized) {
		// What init containers went through is history, except for those that run on.
		s.restarts, s.restarted = sidecars.restarts, sidecars.restarted
		s.addContainers(pod)
	}
	switch terminal := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded; {
	case pod.DeletionTimestamp == nil:
	case pod.Status.Reason == "NodeLost":
		s.status = "Unknown"
	case !terminal:
		s.status = terminating
	}
	return s
}

// addInitContainers says whether the pod is still busy with them. Those that are restarted always,
// sidecars, are containers like the others once they have started; what is known of their restarts
// is returned apart.
func (s *podSummary) addInitContainers(pod *corev1.Pod) (initializing bool, sidecars podSummary) {
	runsOn := map[string]bool{}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			runsOn[c.Name] = true
			s.containers++
		}
	}
	for i, c := range pod.Status.InitContainerStatuses {
		s.addRestarts(c)
		if runsOn[c.Name] {
			sidecars.addRestarts(c)
		}
		switch {
		case c.State.Terminated != nil && c.State.Terminated.ExitCode == 0:
			continue
		case runsOn[c.Name] && c.Started != nil && *c.Started:
			if c.Ready {
				s.ready++
			}
			continue
		case c.State.Terminated != nil:
			s.status = "Init:" + ended(c.State.Terminated)
		case c.State.Waiting != nil && c.State.Waiting.Reason != "" && c.State.Waiting.Reason != "PodInitializing":
			s.status = "Init:" + c.State.Waiting.Reason
		default:
			s.status = fmt.Sprintf("Init:%d/%d", i, len(pod.Spec.InitContainers))
		}
		return true, sidecars
	}
	return false, sidecars
}

func (s *podSummary) addContainers(pod *corev1.Pod) {
	running := false
	// The first container has the last word.
	for _, c := range slices.Backward(pod.Status.ContainerStatuses) {
		s.addRestarts(c)
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.status = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			s.status = ended(c.State.Terminated)
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.status == "Completed" && running {
		s.status = "NotReady"
		if hasCondition(pod, corev1.PodReady) {
			s.status = "Running"
		}
	}
}

func (s *podSummary) addRestarts(c corev1.ContainerStatus) {
	s.restarts += int(c.RestartCount)
	if t := c.LastTerminationState.Terminated; t != nil && t.FinishedAt.After(s.restarted) {
		s.restarted = t.FinishedAt.Time
	}
}

// ended says how a container came to its end.
func ended(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}
