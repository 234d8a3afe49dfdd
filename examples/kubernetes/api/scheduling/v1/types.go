package v1

import schedulingv1 "k8s.io/api/scheduling/v1"

// PriorityClass is how much a pod matters.
//
// +kubebuilder:resource:scope=Cluster,shortName=pc
type PriorityClass = schedulingv1.PriorityClass

// PriorityClassList is a list of them.
type PriorityClassList = schedulingv1.PriorityClassList
