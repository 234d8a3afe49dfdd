package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// PodStrategy holds the rules of pods, and their columns.
type PodStrategy struct{ strategy.Pod }

// PrepareForCreate lets both fields with the service account say what the newer one says.
func (s PodStrategy) PrepareForCreate(ctx context.Context, pod *corev1.Pod) {
	s.Pod.PrepareForCreate(ctx, pod)
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
}

// PrepareForUpdate does so again.
func (s PodStrategy) PrepareForUpdate(ctx context.Context, pod, old *corev1.Pod) {
	s.Pod.PrepareForUpdate(ctx, pod, old)
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
}

// Validate says what is wrong with a new pod.
func (PodStrategy) Validate(_ context.Context, pod *corev1.Pod) field.ErrorList {
	spec := field.NewPath("spec")
	errs := validatePod(pod, spec)
	if len(pod.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(spec.Child("ephemeralContainers"), "cannot be set on create"))
	}
	if pod.Spec.NodeName != "" && len(pod.Spec.SchedulingGates) > 0 {
		errs = append(errs, field.Forbidden(spec.Child("nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	if pod.ResourceVersion == "" { // one that is there may be older than these rules, and gets a node
		errs = append(errs, validateAnnotations(pod.Annotations, nil, &pod.Spec, field.NewPath("metadata", "annotations"))...)
		errs = append(errs, validateProfiles(pod.Annotations, &pod.Spec, spec)...)
	}
	return errs
}

// validatePod judges what no change of a pod may break either.
func validatePod(pod *corev1.Pod, path *field.Path) field.ErrorList {
	errs := validatePodSpec(&pod.Spec, &pod.ObjectMeta, path)
	if s := pod.Spec.TerminationGracePeriodSeconds; s != nil {
		errs = append(errs, atLeast(path.Child("terminationGracePeriodSeconds"), *s, 0)...)
	}
	if pod.Spec.ServiceAccountName != "" {
		return errs
	}
	for i, v := range pod.Spec.Volumes {
		if v.Projected == nil {
			continue
		}
		for j, s := range v.Projected.Sources {
			if s.ServiceAccountToken != nil {
				at := path.Child("volumes").Index(i).Child("projected", "sources").Index(j).Child("serviceAccountToken")
				errs = append(errs, field.Forbidden(at, "must not be specified when serviceAccountName is not set"))
			}
		}
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed pod: of what runs already, little can be
// changed.
func (PodStrategy) ValidateUpdate(_ context.Context, pod, old *corev1.Pod) field.ErrorList {
	spec := field.NewPath("spec")
	errs := append(validatePod(pod, spec), validateChangedAnnotations(pod, old)...)
	if len(pod.Spec.Containers) != len(old.Spec.Containers) {
		return append(errs, field.Forbidden(spec.Child("containers"), "pod updates may not add or remove containers"))
	}
	if len(pod.Spec.InitContainers) != len(old.Spec.InitContainers) {
		return append(errs, field.Forbidden(spec.Child("initContainers"), "pod updates may not add or remove containers"))
	}

	// What may be changed is put back; then nothing else may differ.
	rest := pod.Spec.DeepCopy()
	for i := range rest.Containers {
		rest.Containers[i].Image = old.Spec.Containers[i].Image
	}
	for i := range rest.InitContainers {
		rest.InitContainers[i].Image = old.Spec.InitContainers[i].Image
	}
	if before := old.Spec.ActiveDeadlineSeconds; rest.ActiveDeadlineSeconds != nil && (before == nil || *rest.ActiveDeadlineSeconds <= *before) {
		rest.ActiveDeadlineSeconds = before
	}
	if hasAll(rest.Tolerations, old.Spec.Tolerations) {
		rest.Tolerations = old.Spec.Tolerations
	}
	errs = append(errs, putBackGates(rest, &old.Spec, spec)...)
	if !semantic.Equal(rest, &old.Spec) {
		errs = append(errs, field.Forbidden(spec, "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"+
			"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations), `spec.schedulingGates` (only removals)"))
	}
	return errs
}

// hasAll says whether tolerations are the old ones and others. How long one holds may change.
func hasAll(tolerations, old []corev1.Toleration) bool {
	there := map[corev1.Toleration]bool{}
	for _, t := range tolerations {
		t.TolerationSeconds = nil
		there[t] = true
	}
	return !slices.ContainsFunc(old, func(t corev1.Toleration) bool {
		t.TolerationSeconds = nil
		return !there[t]
	})
}

// Columns are what kubectl get shows of pods.
func (PodStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Ready", Type: "string", Description: "How many of the containers are ready."},
		{Name: "Status", Type: "string", Description: "What the pod is doing, or why it does not."},
		{Name: "Restarts", Type: "string", Description: "How often its containers were started again, and when last."},
		{Name: "Age", Type: "date", Description: "The time since the pod was created."},
		{Name: "IP", Type: "string", Priority: 1, Description: "The address of the pod."},
		{Name: "Node", Type: "string", Priority: 1, Description: "Where the pod runs."},
		{Name: "Nominated Node", Type: "string", Priority: 1, Description: "Where it will run when others have made room."},
		{Name: "Readiness Gates", Type: "string", Priority: 1, Description: "How many of its readiness gates are true."},
	}
}

// Cells fills the columns for one pod.
func (PodStrategy) Cells(pod *corev1.Pod) []any {
	s := summarize(pod)
	restarts := strconv.Itoa(s.restarts)
	if s.restarts > 0 && !s.restarted.IsZero() {
		restarts += fmt.Sprintf(" (%s ago)", duration.HumanDuration(time.Since(s.restarted)))
	}
	return []any{
		fmt.Sprintf("%d/%d", s.ready, s.containers), s.status, restarts, pod.CreationTimestamp,
		orNone(pod.Status.PodIP), orNone(pod.Spec.NodeName), orNone(pod.Status.NominatedNodeName), readinessGates(pod),
	}
}

func readinessGates(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return none
	}
	open := 0
	for _, gate := range pod.Spec.ReadinessGates {
		if hasCondition(pod, gate.ConditionType) {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(pod.Spec.ReadinessGates))
}

// hasCondition says whether a condition of the pod is true.
func hasCondition(pod *corev1.Pod, of corev1.PodConditionType) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == of && c.Status == corev1.ConditionTrue
	})
}

// What kubectl shows of what there is not, and of what goes.
const (
	none        = "<none>"
	unset       = "<unset>"
	terminating = "Terminating"
)

// orNone is what kubectl shows of a text that may be empty.
func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}
