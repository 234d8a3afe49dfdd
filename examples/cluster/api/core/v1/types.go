package v1

import corev1 "k8s.io/api/core/v1"

// Pod is a group of containers that run together.
//
// +kubebuilder:resource:shortName=po,categories=all
// +kubebuilder:subresource:status
// +typeplane:subresource:name=binding
// +typeplane:subresource:name=log
// +typeplane:subresource:name=attach,methods=GET;POST
// +kubebuilder:selectablefield:JSONPath=.spec.nodeName
// +kubebuilder:selectablefield:JSONPath=.spec.restartPolicy
// +kubebuilder:selectablefield:JSONPath=.spec.schedulerName
// +kubebuilder:selectablefield:JSONPath=.spec.serviceAccountName
// +kubebuilder:selectablefield:JSONPath=.spec.hostNetwork
// +kubebuilder:selectablefield:JSONPath=.status.phase
// +kubebuilder:selectablefield:JSONPath=.status.podIP
// +kubebuilder:selectablefield:JSONPath=.status.nominatedNodeName
type Pod = corev1.Pod

// PodList is a list of pods.
type PodList = corev1.PodList

// Binding says which node a pod is to run on: it is sent to …/pods/{name}/binding, once for each
// pod.
//
// +kubebuilder:skipversion
type Binding = corev1.Binding

// PodAttachOptions say what of a container a client of …/pods/{name}/attach is joined to.
type PodAttachOptions = corev1.PodAttachOptions

// ReplicationController keeps a number of pods of one kind.
//
// +kubebuilder:resource:shortName=rc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:selectablefield:JSONPath=.status.replicas
type ReplicationController = corev1.ReplicationController

// ReplicationControllerList is a list of replication controllers.
type ReplicationControllerList = corev1.ReplicationControllerList

// PersistentVolume is storage that outlives the pods which use it.
//
// +kubebuilder:resource:scope=Cluster,shortName=pv
// +kubebuilder:subresource:status
type PersistentVolume = corev1.PersistentVolume

// PersistentVolumeList is a list of persistent volumes.
type PersistentVolumeList = corev1.PersistentVolumeList

// PersistentVolumeClaim asks for a volume, and has it for as long as it is there.
//
// +kubebuilder:resource:shortName=pvc
// +kubebuilder:subresource:status
type PersistentVolumeClaim = corev1.PersistentVolumeClaim

// PersistentVolumeClaimList is a list of claims.
type PersistentVolumeClaimList = corev1.PersistentVolumeClaimList
