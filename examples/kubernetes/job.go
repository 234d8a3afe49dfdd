package kubernetes

import (
	"context"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// JobStrategy holds what is special about jobs.
type JobStrategy struct {
	strategy.WithMetadata
	strategy.Orphaning
}

// PrepareForCreate has a job select its own pods, by its uid, unless its author selects them. A job
// that has the labels of its pods goes on having them.
func (JobStrategy) PrepareForCreate(_ context.Context, job *batchv1.Job) {
	if job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	alike := maps.Equal(job.Labels, job.Spec.Template.Labels)
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
	if alike {
		job.Labels = maps.Clone(labels)
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, said := job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !said {
		job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = uid // another one is for the rules to judge
	}
}

// Validate says what is wrong with a job.
func (JobStrategy) Validate(_ context.Context, job *batchv1.Job) field.ErrorList {
	errs := validateSelection(job.Spec.Selector, &job.Spec.Template)
	for _, n := range []struct {
		name string
		is   *int32
	}{{"parallelism", job.Spec.Parallelism}, {"completions", job.Spec.Completions}, {"backoffLimit", job.Spec.BackoffLimit}} {
		errs = append(errs, validateCount(n.is, specPath.Child(n.name))...)
	}
	if policy := job.Spec.Template.Spec.RestartPolicy; policy != corev1.RestartPolicyOnFailure && policy != corev1.RestartPolicyNever {
		errs = append(errs, field.NotSupported(specPath.Child("template", "spec", "restartPolicy"), policy, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}))
	}
	return errs
}

// Validate validates the template of the pods of a cron job.
func (CronJobStrategy) Validate(_ context.Context, cron *batchv1.CronJob) field.ErrorList {
	return validatePodSpec(&cron.Spec.JobTemplate.Spec.Template.Spec, specPath.Child("jobTemplate", "spec", "template", "spec"))
}

// ValidateUpdate says what is wrong with a changed one. The template of one that waits to be begun
// may change.
func (s JobStrategy) ValidateUpdate(ctx context.Context, job, old *batchv1.Job) field.ErrorList {
	errs := s.Validate(ctx, job)
	errs = append(errs, fixed(specPath.Child("selector"), job.Spec.Selector, old.Spec.Selector)...)
	errs = append(errs, fixed(specPath.Child("completionMode"), job.Spec.CompletionMode, old.Spec.CompletionMode)...)
	errs = append(errs, fixed(specPath.Child("podFailurePolicy"), job.Spec.PodFailurePolicy, old.Spec.PodFailurePolicy)...)
	waits := old.Spec.Suspend != nil && *old.Spec.Suspend && old.Status.StartTime == nil
	if !waits {
		errs = append(errs, fixed(specPath.Child("template"), job.Spec.Template, old.Spec.Template)...)
	}
	if indexed := *job.Spec.CompletionMode == batchv1.IndexedCompletion; !indexed || !semantic.Equal(job.Spec.Completions, job.Spec.Parallelism) {
		errs = append(errs, fixed(specPath.Child("completions"), job.Spec.Completions, old.Spec.Completions)...)
	}
	return errs
}
