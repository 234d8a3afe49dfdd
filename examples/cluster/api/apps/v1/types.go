package v1

import appsv1 "k8s.io/api/apps/v1"

// Deployment keeps a number of pods of one kind, and replaces them bit by bit when the kind
// changes.
//
// +kubebuilder:resource:shortName=deploy,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
type Deployment = appsv1.Deployment

// DeploymentList is a list of deployments.
type DeploymentList = appsv1.DeploymentList
