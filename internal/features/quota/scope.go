package quota

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/features/strategy"
)

// matches says whether a quota is about an object: about all of them without scopes, else about
// those that every scope wants. All scopes are for pods, except for one for claims.
func (q quota) matches(u *usage) bool {
	if u == nil {
		return false
	}
	for _, scope := range q.Spec.Scopes {
		if !u.in(corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists}) {
			return false
		}
	}
	if q.Spec.ScopeSelector == nil {
		return true
	}
	for _, want := range q.Spec.ScopeSelector.MatchExpressions {
		if !u.in(want) {
			return false
		}
	}
	return true
}

// in says whether an object is in a scope.
func (u *usage) in(want corev1.ScopedResourceSelectorRequirement) bool {
	if want.ScopeName == corev1.ResourceQuotaScopeVolumeAttributesClass {
		return u.claim != nil && slices.ContainsFunc(attributesClasses(u.claim), func(class string) bool { return selected(want, class) })
	}
	if u.pod == nil {
		return false
	}
	spec := &u.pod.Spec
	switch want.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return terminating(spec)
	case corev1.ResourceQuotaScopeNotTerminating:
		return !terminating(spec)
	case corev1.ResourceQuotaScopeBestEffort:
		return bestEffort(spec)
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !bestEffort(spec)
	case corev1.ResourceQuotaScopePriorityClass:
		return selected(want, spec.PriorityClassName)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return crossNamespace(spec.Affinity)
	}
	return false
}

// selected says whether the name of a class, "" for none, is one that a requirement wants.
func selected(want corev1.ScopedResourceSelectorRequirement, class string) bool {
	switch want.Operator {
	case corev1.ScopeSelectorOpExists:
		return class != ""
	case corev1.ScopeSelectorOpDoesNotExist:
		return class == ""
	case corev1.ScopeSelectorOpIn:
		return class != "" && slices.Contains(want.Values, class)
	case corev1.ScopeSelectorOpNotIn:
		return class == "" || !slices.Contains(want.Values, class)
	}
	return false
}

// attributesClasses are those that a claim wants, has, or is on its way to; "" alone for none.
func attributesClasses(claim *corev1.PersistentVolumeClaim) (classes []string) {
	for _, class := range []*string{claim.Spec.VolumeAttributesClassName, claim.Status.CurrentVolumeAttributesClassName} {
		if class != nil && *class != "" {
			classes = append(classes, *class)
		}
	}
	if target := claim.Status.ModifyVolumeStatus; target != nil && target.TargetVolumeAttributesClassName != "" {
		classes = append(classes, target.TargetVolumeAttributesClassName)
	}
	if classes == nil {
		return []string{""}
	}
	return classes
}

func terminating(spec *corev1.PodSpec) bool {
	return spec.ActiveDeadlineSeconds != nil && *spec.ActiveDeadlineSeconds >= 0
}

func bestEffort(spec *corev1.PodSpec) bool { return strategy.QOSClass(spec) == corev1.PodQOSBestEffort }

// crossNamespace says whether some affinity or anti-affinity is about pods of other namespaces.
func crossNamespace(affinity *corev1.Affinity) bool {
	if affinity == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	collect := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		terms = append(terms, required...)
		for _, p := range preferred {
			terms = append(terms, p.PodAffinityTerm)
		}
	}
	if a := affinity.PodAffinity; a != nil {
		collect(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		collect(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return len(t.Namespaces) > 0 || t.NamespaceSelector != nil })
}

// sameScopes says that no scope can tell two usages apart.
func sameScopes(a, b *usage) bool {
	switch {
	case a.pod != nil && b.pod != nil:
		x, y := &a.pod.Spec, &b.pod.Spec
		return terminating(x) == terminating(y) && bestEffort(x) == bestEffort(y) &&
			x.PriorityClassName == y.PriorityClassName && crossNamespace(x.Affinity) == crossNamespace(y.Affinity)
	case a.claim != nil && b.claim != nil:
		return slices.Equal(attributesClasses(a.claim), attributesClasses(b.claim))
	}
	return true
}
