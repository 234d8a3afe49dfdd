package main

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// JobStrategy holds what is special about jobs.
type JobStrategy struct{}

// PrepareForCreate has a job select its own pods, by its uid, unless its author selects them.
func (JobStrategy) PrepareForCreate(_ context.Context, job *batchv1.Job) {
	if job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	labels := job.Spec.Template.Labels
	if labels == nil {
		labels = map[string]string{}
		job.Spec.Template.Labels = labels
	}
	uid := string(job.UID)
	for key, value := range map[string]string{
		batchv1.JobNameLabel: job.Name, batchv1.ControllerUidLabel: uid, "job-name": job.Name, "controller-uid": uid,
	} {
		if _, said := labels[key]; !said {
			labels[key] = value
		}
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = uid
}
