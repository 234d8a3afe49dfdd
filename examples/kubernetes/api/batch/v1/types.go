package v1

import batchv1 "k8s.io/api/batch/v1"

// Job runs pods until enough of them have succeeded.
//
// +kubebuilder:resource:categories=all
// +kubebuilder:subresource:status
type Job = batchv1.Job

// JobList is a list of them.
type JobList = batchv1.JobList

// CronJob makes jobs at times.
//
// +kubebuilder:resource:shortName=cj,categories=all
// +kubebuilder:subresource:status
type CronJob = batchv1.CronJob

// CronJobList is a list of them.
type CronJobList = batchv1.CronJobList
