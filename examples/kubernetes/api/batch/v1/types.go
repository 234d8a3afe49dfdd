package v1

import batchv1 "k8s.io/api/batch/v1"

// Job runs pods until enough of them have succeeded.
//
// +kubebuilder:resource:categories=all
// +kubebuilder:subresource:status
// +typeplane:selectablefield:name=status.successful,JSONPath=.status.succeeded
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=.status.conditions[?(@.status=="True")].type
// +kubebuilder:printcolumn:name=Completions,type=integer,JSONPath=.spec.completions
// +kubebuilder:printcolumn:name=Succeeded,type=integer,JSONPath=.status.succeeded
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +typeplane:validation:disabled=WorkloadWithJob
type Job = batchv1.Job

// JobList is a list of them.
type JobList = batchv1.JobList

// CronJob makes jobs at times.
//
// +kubebuilder:resource:shortName=cj,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.schedule
// +kubebuilder:printcolumn:name=TimeZone,type=string,JSONPath=.spec.timeZone
// +kubebuilder:printcolumn:name=Suspend,type=boolean,JSONPath=.spec.suspend
// +kubebuilder:printcolumn:name="Last Schedule",type=date,JSONPath=.status.lastScheduleTime
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +typeplane:validation:disabled=WorkloadWithJob
type CronJob = batchv1.CronJob

// CronJobList is a list of them.
type CronJobList = batchv1.CronJobList
