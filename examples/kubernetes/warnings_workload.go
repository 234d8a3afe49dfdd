package kubernetes

import (
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// WarningsOnCreate say what is odd about a new replica set.
func (ReplicaSetStrategy) WarningsOnCreate(_ context.Context, rs *appsv1.ReplicaSet) []string {
	var w strategy.Warnings
	w.NameOfPods(rs.Name)
	w.Template("spec.template", &rs.Spec.Template)
	return w.Texts()
}

// WarningsOnUpdate say what is odd about the template, if there is another specification.
func (ReplicaSetStrategy) WarningsOnUpdate(_ context.Context, rs, old *appsv1.ReplicaSet) []string {
	var w strategy.Warnings
	w.Template("spec.template", &rs.Spec.Template)
	return ifChanged(w.Texts(), &rs.Spec, &old.Spec)
}

// ifChanged are warnings of a part, if it has changed: people have read those of what was there.
// Nothing is compared where there is nothing to say.
func ifChanged[T any](warnings []string, is, was *T) []string {
	if len(warnings) > 0 && semantic.Equal(is, was) {
		return nil
	}
	return warnings
}

// WarningsOnCreate say what is odd about a new daemon set.
func (DaemonSetStrategy) WarningsOnCreate(_ context.Context, ds *appsv1.DaemonSet) []string {
	var w strategy.Warnings
	w.Template("spec.template", &ds.Spec.Template)
	return w.Texts()
}

// WarningsOnUpdate say what is odd about another template.
func (s DaemonSetStrategy) WarningsOnUpdate(ctx context.Context, ds, old *appsv1.DaemonSet) []string {
	return ifChanged(s.WarningsOnCreate(ctx, ds), &ds.Spec.Template, &old.Spec.Template)
}

// WarningsOnCreate say what is odd about a new stateful set.
func (s StatefulSetStrategy) WarningsOnCreate(_ context.Context, set *appsv1.StatefulSet) []string {
	var w strategy.Warnings
	w.Template("spec.template", &set.Spec.Template)
	return append(w.Texts(), setWarnings(set)...)
}

// WarningsOnUpdate are the same; those of the template if there is another specification.
func (s StatefulSetStrategy) WarningsOnUpdate(_ context.Context, set, old *appsv1.StatefulSet) []string {
	var w strategy.Warnings
	w.Template("spec.template", &set.Spec.Template)
	return append(ifChanged(w.Texts(), &set.Spec, &old.Spec), setWarnings(set)...)
}

// setWarnings say what is odd about what a stateful set has beside its template.
func setWarnings(set *appsv1.StatefulSet) []string {
	var w strategy.Warnings
	for i := range set.Spec.VolumeClaimTemplates {
		w.Claim(&set.Spec.VolumeClaimTemplates[i].Spec, "spec.volumeClaimTemplates[%d]", i)
	}
	if n := set.Spec.RevisionHistoryLimit; n != nil && *n < 0 {
		w.Add("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended")
	}
	return w.Texts()
}

// PodTemplateStrategy holds what is special about templates of pods.
type PodTemplateStrategy struct{}

// WarningsOnCreate say what is odd about a new template.
func (PodTemplateStrategy) WarningsOnCreate(_ context.Context, t *corev1.PodTemplate) []string {
	var w strategy.Warnings
	w.Template("template", &t.Template)
	return w.Texts()
}

// WarningsOnUpdate say what is odd about one that has changed.
func (s PodTemplateStrategy) WarningsOnUpdate(ctx context.Context, t, old *corev1.PodTemplate) []string {
	return ifChanged(s.WarningsOnCreate(ctx, t), &t.Template, &old.Template)
}

// WarningsOnCreate say what is odd about a new job.
func (JobStrategy) WarningsOnCreate(_ context.Context, job *batchv1.Job) []string {
	var w strategy.Warnings
	w.NameOfPods(job.Name)
	warnOfJob(&w, "spec", &job.Spec)
	return w.Texts()
}

// WarningsOnUpdate say what is odd about a job that becomes another one.
func (JobStrategy) WarningsOnUpdate(_ context.Context, job, old *batchv1.Job) []string {
	var w strategy.Warnings
	warnOfJob(&w, "spec", &job.Spec)
	return ifChanged(w.Texts(), &job.Spec, &old.Spec)
}

// How large a job with indexes may be so that each pod that fails can be told.
const (
	manyCompletions = 100_000
	manyAtOnce      = 10_000
)

func warnOfJob(w *strategy.Warnings, place string, job *batchv1.JobSpec) {
	indexed := job.CompletionMode != nil && *job.CompletionMode == batchv1.IndexedCompletion
	if indexed && job.Completions != nil && *job.Completions > manyCompletions && job.Parallelism != nil && *job.Parallelism > manyAtOnce {
		w.Add("%s: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "+
			"Kubernetes might not be able to track completedIndexes when a big number of indexes fail", place)
	}
	w.Template(place+".template", &job.Template)
}

// WarningsOnCreate say what is odd about a new cron job.
func (CronJobStrategy) WarningsOnCreate(_ context.Context, cron *batchv1.CronJob) []string {
	var w strategy.Warnings
	w.NameOfPods(cron.Name)
	warnOfJob(&w, "spec.jobTemplate.spec", &cron.Spec.JobTemplate.Spec)
	return append(w.Texts(), scheduleWarnings(cron)...)
}

// WarningsOnUpdate say what is odd about a cron job that becomes another one, or about when it
// makes jobs.
func (CronJobStrategy) WarningsOnUpdate(_ context.Context, cron, old *batchv1.CronJob) []string {
	var w strategy.Warnings
	warnOfJob(&w, "spec.jobTemplate.spec", &cron.Spec.JobTemplate.Spec)
	return append(ifChanged(w.Texts(), &cron.Spec, &old.Spec), scheduleWarnings(cron)...)
}

// scheduleWarnings: a time zone has a field of its own.
func scheduleWarnings(cron *batchv1.CronJob) []string {
	if !strings.Contains(cron.Spec.Schedule, "TZ") {
		return nil
	}
	return []string{"cannot use TZ or CRON_TZ in spec.schedule, use timeZone instead, " +
		"see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"}
}
