package v1

import policyv1 "k8s.io/api/policy/v1"

// PodDisruptionBudget says how many pods of a set may be missing.
//
// +kubebuilder:resource:shortName=pdb
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Min Available",type=string,JSONPath=.spec.minAvailable
// +kubebuilder:printcolumn:name="Max Unavailable",type=string,JSONPath=.spec.maxUnavailable
// +kubebuilder:printcolumn:name="Allowed Disruptions",type=integer,JSONPath=.status.disruptionsAllowed
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type PodDisruptionBudget = policyv1.PodDisruptionBudget

// PodDisruptionBudgetList is a list of them.
type PodDisruptionBudgetList = policyv1.PodDisruptionBudgetList

// Eviction asks for the end of a pod: it is sent to …/pods/{name}/eviction.
//
// +kubebuilder:skipversion
type Eviction = policyv1.Eviction
