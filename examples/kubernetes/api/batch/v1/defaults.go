package v1

import (
	"maps"
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	_ "github.com/typeplane/typeplane/examples/cluster/api/core/v1" // the defaults of templates
	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_Job runs one pod, and lets six fail. Its labels are those of the template.
func SetDefaults_Job(in *batchv1.Job) {
	if in.Spec.Parallelism == nil {
		absent.Set(&in.Spec.Completions, 1)
	}
	absent.Set(&in.Spec.Parallelism, 1)
	failures := int32(6)
	if in.Spec.BackoffLimitPerIndex != nil {
		failures = math.MaxInt32
	}
	absent.Set(&in.Spec.BackoffLimit, failures)
	if len(in.Labels) == 0 {
		in.Labels = maps.Clone(in.Spec.Template.Labels)
	}
	absent.Set(&in.Spec.CompletionMode, batchv1.NonIndexedCompletion)
	absent.Set(&in.Spec.Suspend, false)
	absent.Set(&in.Spec.ManualSelector, false)
	replaced := batchv1.TerminatingOrFailed
	if in.Spec.PodFailurePolicy != nil {
		replaced = batchv1.Failed
	}
	absent.Set(&in.Spec.PodReplacementPolicy, replaced)
}

// SetDefaults_CronJob lets jobs run beside each other, and keeps three that succeeded and one that
// failed.
func SetDefaults_CronJob(in *batchv1.CronJob) {
	absent.Fill(&in.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
	absent.Set(&in.Spec.Suspend, false)
	absent.Set(&in.Spec.SuccessfulJobsHistoryLimit, 3)
	absent.Set(&in.Spec.FailedJobsHistoryLimit, 1)
}

// SetDefaults_PodFailurePolicyOnPodConditionsPattern looks for what is so.
func SetDefaults_PodFailurePolicyOnPodConditionsPattern(in *batchv1.PodFailurePolicyOnPodConditionsPattern) {
	absent.Fill(&in.Status, corev1.ConditionTrue)
}
