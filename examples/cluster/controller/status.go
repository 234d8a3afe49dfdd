package main

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// failure is why the number of pods could not be reached, with the reason that the condition
// ReplicaFailure gives for it.
type failure struct {
	reason string
	error
}

func (f failure) Unwrap() error { return f.error }

// report tells in the status what there is. It returns when to look again if time alone will change
// that: pods that are ready become available.
func (r *replication) report(ctx context.Context, rc *corev1.ReplicationController, pods []corev1.Pod, failed error) (time.Duration, error) {
	status, again := statusOf(rc, pods, failed, time.Now())
	if equality.Semantic.DeepEqual(rc.Status, status) {
		return again, nil
	}
	rc.Status = status
	return again, ignoreStale(r.Status().Update(ctx, rc))
}

func statusOf(rc *corev1.ReplicationController, pods []corev1.Pod, failed error, now time.Time) (status corev1.ReplicationControllerStatus, again time.Duration) {
	status = corev1.ReplicationControllerStatus{
		Replicas:           int32(len(pods)),
		ObservedGeneration: rc.Generation,
		Conditions:         conditions(rc.Status.Conditions, failed, now),
	}
	template := labels.SelectorFromSet(rc.Spec.Template.Labels)
	minReady := time.Duration(rc.Spec.MinReadySeconds) * time.Second
	for i := range pods {
		pod := &pods[i]
		if template.Matches(labels.Set(pod.Labels)) {
			status.FullyLabeledReplicas++
		}
		if !isReady(pod) {
			continue
		}
		status.ReadyReplicas++
		if left := readySince(pod).Add(minReady).Sub(now); minReady > 0 && left > 0 {
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		status.AvailableReplicas++
	}
	return status, again
}

// conditions are those of before, with ReplicaFailure for as long as there is one.
func conditions(before []corev1.ReplicationControllerCondition, failed error, now time.Time) (after []corev1.ReplicationControllerCondition) {
	var why failure
	broken := errors.As(failed, &why)
	since := metav1.NewTime(now)
	for _, c := range before {
		if c.Type != corev1.ReplicationControllerReplicaFailure {
			after = append(after, c)
		} else if c.Status == corev1.ConditionTrue {
			since = c.LastTransitionTime
		}
	}
	if !broken {
		return after
	}
	return append(after, corev1.ReplicationControllerCondition{
		Type: corev1.ReplicationControllerReplicaFailure, Status: corev1.ConditionTrue, LastTransitionTime: since, Reason: why.reason, Message: why.Error(),
	})
}
