package v1

import appsv1 "k8s.io/api/apps/v1"

// Deployment keeps a number of pods of one kind, and replaces them bit by bit when the kind
// changes.
//
// +kubebuilder:resource:shortName=deploy,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Up-to-date,type=integer,JSONPath=.status.updatedReplicas
// +kubebuilder:printcolumn:name=Available,type=integer,JSONPath=.status.availableReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type Deployment = appsv1.Deployment

// DeploymentList is a list of them.
type DeploymentList = appsv1.DeploymentList

// ReplicaSet keeps a number of pods of one kind.
//
// +kubebuilder:resource:shortName=rs,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:selectablefield:JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name=Current,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type ReplicaSet = appsv1.ReplicaSet

// ReplicaSetList is a list of them.
type ReplicaSetList = appsv1.ReplicaSetList

// StatefulSet keeps pods with names and volumes that stay theirs.
//
// +kubebuilder:resource:shortName=sts,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type StatefulSet = appsv1.StatefulSet

// StatefulSetList is a list of them.
type StatefulSetList = appsv1.StatefulSetList

// DaemonSet keeps a pod on each node.
//
// +kubebuilder:resource:shortName=ds,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.status.desiredNumberScheduled
// +kubebuilder:printcolumn:name=Current,type=integer,JSONPath=.status.currentNumberScheduled
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.numberReady
// +kubebuilder:printcolumn:name=Up-to-date,type=integer,JSONPath=.status.updatedNumberScheduled
// +kubebuilder:printcolumn:name=Available,type=integer,JSONPath=.status.numberAvailable
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type DaemonSet = appsv1.DaemonSet

// DaemonSetList is a list of them.
type DaemonSetList = appsv1.DaemonSetList

// ControllerRevision is what the template of a stateful or daemon set once was.
//
// +kubebuilder:printcolumn:name=Controller,type=string,JSONPath=.metadata.ownerReferences[0].name
// +kubebuilder:printcolumn:name=Revision,type=integer,JSONPath=.revision
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type ControllerRevision = appsv1.ControllerRevision

// ControllerRevisionList is a list of them.
type ControllerRevisionList = appsv1.ControllerRevisionList
