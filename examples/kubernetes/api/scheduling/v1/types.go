package v1

import schedulingv1 "k8s.io/api/scheduling/v1"

// PriorityClass is how much a pod matters.
//
// +kubebuilder:resource:scope=Cluster,shortName=pc
// +kubebuilder:printcolumn:name=Value,type=integer,JSONPath=.value
// +kubebuilder:printcolumn:name=Global-Default,type=boolean,JSONPath=.globalDefault
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type PriorityClass = schedulingv1.PriorityClass

// PriorityClassList is a list of them.
type PriorityClassList = schedulingv1.PriorityClassList
