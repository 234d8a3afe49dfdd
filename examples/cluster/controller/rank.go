package main

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// bestLast sorts pods so that those come first which are missed least: the order in which
// Kubernetes deletes what is too many.
func bestLast(pods []corev1.Pod) {
	slices.SortStableFunc(pods, func(a, b corev1.Pod) int {
		return cmp.Or(
			falseFirst(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			cmp.Compare(progress(&a), progress(&b)),
			falseFirst(isReady(&a), isReady(&b)),
			cmp.Compare(deletionCost(&a), deletionCost(&b)),
			laterFirst(readySince(&a), readySince(&b)),
			cmp.Compare(restarts(&b), restarts(&a)),
			laterFirst(a.CreationTimestamp.Time, b.CreationTimestamp.Time),
		)
	})
}

// progress is how far a pod has come.
func progress(pod *corev1.Pod) int {
	return slices.Index([]corev1.PodPhase{corev1.PodPending, corev1.PodUnknown, corev1.PodRunning}, pod.Status.Phase)
}

// deletionCost is what whoever runs the pods says, in an annotation, that it would cost to lose
// one.
func deletionCost(pod *corev1.Pod) int32 {
	n, err := strconv.ParseInt(pod.Annotations[corev1.PodDeletionCost], 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

func restarts(pod *corev1.Pod) (most int32) {
	for _, c := range pod.Status.ContainerStatuses {
		most = max(most, c.RestartCount)
	}
	return most
}

func isReady(pod *corev1.Pod) bool { return !readySince(pod).IsZero() }

// readySince is when the pod became ready, zero if it is not.
func readySince(pod *corev1.Pod) time.Time {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return cmp.Or(c.LastTransitionTime.Time, pod.CreationTimestamp.Time)
		}
	}
	return time.Time{}
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func laterFirst(a, b time.Time) int { return b.Compare(a) }
