package main

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// Pods wait at their gates before anybody looks for a node, and whoever holds a gate may still say
// which nodes are meant.

// putBackGates puts back in a changed pod what may be changed of gates, and of nodes while there
// are gates. It also puts back what it judges differently, so that it is said once.
func putBackGates(spec, old *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	before := map[corev1.PodSchedulingGate]bool{}
	for _, g := range old.SchedulingGates {
		before[g] = true
	}
	for i, g := range rest.WhileFew(&errs, slices.All(spec.SchedulingGates)) {
		if !before[g] {
			errs = append(errs, field.Forbidden(path.Child("schedulingGates").Index(i), "only deletion is allowed, but found new scheduling gate "+g.Name))
		}
	}
	spec.SchedulingGates = old.SchedulingGates
	if len(old.SchedulingGates) == 0 {
		return errs
	}
	for key, value := range old.NodeSelector {
		if is, ok := spec.NodeSelector[key]; !ok || is != value {
			errs = append(errs, field.Invalid(path.Child("nodeSelector"), maps.Clone(spec.NodeSelector), "only additions to spec.nodeSelector are allowed (no mutations or deletions)"))
			break
		}
	}
	spec.NodeSelector = old.NodeSelector
	errs = append(errs, narrower(nodeAffinity(spec), nodeAffinity(old), path.Child("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"))...)
	if !semantic.Equal(nodeAffinity(spec), nodeAffinity(old)) {
		putBackNodeAffinity(spec, old)
	}
	return errs
}

func nodeAffinity(spec *corev1.PodSpec) *corev1.NodeAffinity {
	if spec.Affinity == nil {
		return nil
	}
	return spec.Affinity.NodeAffinity
}

func putBackNodeAffinity(spec, old *corev1.PodSpec) {
	switch {
	case spec.Affinity == nil:
		spec.Affinity = &corev1.Affinity{NodeAffinity: old.Affinity.NodeAffinity}
	case old.Affinity == nil && spec.Affinity.PodAffinity == nil && spec.Affinity.PodAntiAffinity == nil:
		spec.Affinity = nil
	default:
		spec.Affinity.NodeAffinity = nodeAffinity(old)
	}
}

// narrower judges new terms in the place of old ones: each means fewer nodes than before, or the
// same.
func narrower(is, was *corev1.NodeAffinity, path *field.Path) field.ErrorList {
	terms, before := requiredTerms(is), requiredTerms(was)
	if len(before) == 0 {
		return nil
	}
	if len(terms) != len(before) {
		return field.ErrorList{field.Invalid(path, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")}
	}
	var errs field.ErrorList
	for i, t := range terms {
		empty := len(before[i].MatchExpressions)+len(before[i].MatchFields) == 0 // no node at all
		if empty && len(t.MatchExpressions)+len(t.MatchFields) > 0 || !goesOn(t.MatchExpressions, before[i].MatchExpressions) || !goesOn(t.MatchFields, before[i].MatchFields) {
			errs = append(errs, field.Invalid(path.Index(i), t, "only additions are allowed (no mutations or deletions)"))
		}
	}
	return errs
}

func requiredTerms(a *corev1.NodeAffinity) []corev1.NodeSelectorTerm {
	if a == nil || a.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// goesOn says whether a list begins with another one.
func goesOn(list, with []corev1.NodeSelectorRequirement) bool {
	return len(list) >= len(with) && semantic.Equal(list[:len(with)], with)
}
