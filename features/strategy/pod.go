package strategy

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod is part of the strategy of pods.
type Pod struct{ WithMetadata }

// PrepareForCreate starts the life of a pod: it waits for somebody to run it.
func (Pod) PrepareForCreate(_ context.Context, pod *corev1.Pod) {
	matchLabelKeys(pod)
	copyAppArmor(pod)
	CompleteResources(&pod.Spec)
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: QOSClass(&pod.Spec)}
	if len(pod.Spec.SchedulingGates) > 0 {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated,
			Message:            "Scheduling is blocked due to non-empty scheduling gates",
			LastTransitionTime: metav1.Now().Rfc3339Copy(),
		}}
	}
}

// PrepareForUpdate keeps the resources of the pod as a whole, which clients leave out that don't
// know them.
func (Pod) PrepareForUpdate(_ context.Context, pod, old *corev1.Pod) {
	if pod.Spec.Resources == nil {
		pod.Spec.Resources = old.Spec.Resources.DeepCopy()
	}
}

// PrepareForStatusUpdate keeps what clients leave out of a status that don't know it. What devices
// a pod has can be taken away by a list that is empty.
func (Pod) PrepareForStatusUpdate(_ context.Context, pod, old *corev1.Pod) {
	is, was := &pod.Status, &old.Status
	if is.QOSClass == "" {
		is.QOSClass = was.QOSClass
	}
	kept := was.DeepCopy()
	if is.ResourceClaimStatuses == nil {
		is.ResourceClaimStatuses = kept.ResourceClaimStatuses
	}
	if is.NodeAllocatableResourceClaimStatuses == nil {
		is.NodeAllocatableResourceClaimStatuses = kept.NodeAllocatableResourceClaimStatuses
	}
	if is.ExtendedResourceClaimStatus == nil {
		is.ExtendedResourceClaimStatus = kept.ExtendedResourceClaimStatus
	}
	if is.ObservedGeneration == 0 {
		is.ObservedGeneration = was.ObservedGeneration
	}
	keepGenerations(is.Conditions, was.Conditions)
}

// keepGenerations keeps of which generation conditions are. There may be several of a type.
func keepGenerations(is, was []corev1.PodCondition) {
	before := map[corev1.PodConditionType][]int64{}
	for _, c := range was {
		before[c.Type] = append(before[c.Type], c.ObservedGeneration)
	}
	for i := range is {
		c := &is[i]
		seen := before[c.Type]
		if len(seen) == 0 {
			continue
		}
		before[c.Type] = seen[1:]
		if c.ObservedGeneration == 0 {
			c.ObservedGeneration = seen[0]
		}
	}
}

// WarningsOnCreate say what is odd about a new pod. Of an update nothing is said: people seldom
// write one, and programs often do.
func (Pod) WarningsOnCreate(_ context.Context, pod *corev1.Pod) []string {
	var w Warnings
	w.pod(pod)
	return w.Texts()
}

// WarningsOnStatusUpdate say what is odd about the addresses of a pod.
func (Pod) WarningsOnStatusUpdate(_ context.Context, pod, _ *corev1.Pod) []string {
	var w Warnings
	w.podStatus(&pod.Status)
	return w.Texts()
}

// ResetFields are what a write leaves as it is: who owns the pod, where it is one of the status.
func (Pod) ResetFields(subresource string) []string {
	if subresource == "status" {
		return []string{"metadata.ownerReferences"}
	}
	return nil
}

// Canonicalize says the class of a pod that an older server has stored without one.
func (Pod) Canonicalize(pod *corev1.Pod) {
	if pod.Status.QOSClass == "" {
		pod.Status.QOSClass = QOSClass(&pod.Spec)
	}
}

// matchLabelKeys makes the selectors of the pod select by the labels that it has under the keys
// which they name: pods of the same revision, for example.
func matchLabelKeys(pod *corev1.Pod) {
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		selectBy(c.LabelSelector, pod.Labels, c.MatchLabelKeys, metav1.LabelSelectorOpIn)
	}
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return
	}
	var terms []*corev1.PodAffinityTerm
	add := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i := range required {
			terms = append(terms, &required[i])
		}
		for i := range preferred {
			terms = append(terms, &preferred[i].PodAffinityTerm)
		}
	}
	if a := affinity.PodAffinity; a != nil {
		add(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		add(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	for _, t := range terms {
		selectBy(t.LabelSelector, pod.Labels, t.MatchLabelKeys, metav1.LabelSelectorOpIn)
		selectBy(t.LabelSelector, pod.Labels, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
	}
}

// selectBy adds the labels under some keys to a selector. One that is nil selects nothing, and
// stays so.
func selectBy(selector *metav1.LabelSelector, labels map[string]string, keys []string, how metav1.LabelSelectorOperator) {
	if selector == nil {
		return
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: how, Values: []string{value}})
		}
	}
}

// QOSClass says what happens to a pod when its node gets short of something. A pod with a request
// for all that it may use is the last to go, one without any is the first.
func QOSClass(spec *corev1.PodSpec) corev1.PodQOSClass {
	asks := []corev1.ResourceRequirements{}
	if ManagesResources(spec) {
		asks = append(asks, *spec.Resources)
	} else {
		for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
			asks = append(asks, c.Resources)
		}
	}
	guaranteed, asksForNothing := true, true
	for _, r := range asks {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := r.Requests[name], r.Limits[name]
			asksForNothing = asksForNothing && request.IsZero() && limit.IsZero()
			guaranteed = guaranteed && !limit.IsZero() && request.Cmp(limit) == 0
		}
	}
	switch {
	case asksForNothing:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}
