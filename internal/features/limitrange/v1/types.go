package v1

import corev1 "k8s.io/api/core/v1"

// LimitRange says how much a pod, a container or a claim of its namespace may use, and what it gets
// if it does not say.
//
// +kubebuilder:resource:shortName=limits
type LimitRange = corev1.LimitRange

// LimitRangeList is a list of limit ranges.
type LimitRangeList = corev1.LimitRangeList
