package v1

import corev1 "k8s.io/api/core/v1"

// Pod is a group of containers that run together on one node.
//
// +kubebuilder:resource:shortName=po,categories=all
// +kubebuilder:subresource:status
// +typeplane:subresource:name=binding
// +typeplane:subresource:name=ephemeralcontainers
// +typeplane:subresource:name=resize
// +typeplane:subresource:name=log
// +typeplane:subresource:name=exec,methods=GET;POST
// +typeplane:subresource:name=attach,methods=GET;POST
// +typeplane:subresource:name=portforward,methods=GET;POST
// +kubebuilder:selectablefield:JSONPath=.spec.nodeName
// +kubebuilder:selectablefield:JSONPath=.spec.restartPolicy
// +kubebuilder:selectablefield:JSONPath=.spec.schedulerName
// +kubebuilder:selectablefield:JSONPath=.spec.serviceAccountName
// +kubebuilder:selectablefield:JSONPath=.spec.hostNetwork
// +kubebuilder:selectablefield:JSONPath=.status.phase
// +kubebuilder:selectablefield:JSONPath=.status.podIP
// +kubebuilder:selectablefield:JSONPath=.status.nominatedNodeName
// +typeplane:selectablefield:name=spec.host,JSONPath=.spec.nodeName
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=.status.phase
// +kubebuilder:printcolumn:name=IP,type=string,JSONPath=.status.podIP,priority=1
// +kubebuilder:printcolumn:name=Node,type=string,JSONPath=.spec.nodeName,priority=1
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type Pod = corev1.Pod

// PodList is a list of them.
type PodList = corev1.PodList

// Binding says which node a pod is to run on: it is sent to …/pods/{name}/binding, once for each
// pod.
//
// +kubebuilder:skipversion
type Binding = corev1.Binding

// PodExecOptions say what runs in a container, and which of its streams a client has.
type PodExecOptions = corev1.PodExecOptions

// PodAttachOptions say which streams of a container a client has.
type PodAttachOptions = corev1.PodAttachOptions

// PodPortForwardOptions say which ports of a pod a client reaches.
type PodPortForwardOptions = corev1.PodPortForwardOptions

// NodeProxyOptions say which path of a kubelet is meant.
type NodeProxyOptions = corev1.NodeProxyOptions

// PodTemplate is a pod that somebody else makes.
type PodTemplate = corev1.PodTemplate

// PodTemplateList is a list of them.
type PodTemplateList = corev1.PodTemplateList

// ReplicationController keeps a number of pods of one kind.
//
// +kubebuilder:resource:shortName=rc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.spec.selector
// +kubebuilder:selectablefield:JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name=Current,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type ReplicationController = corev1.ReplicationController

// ReplicationControllerList is a list of them.
type ReplicationControllerList = corev1.ReplicationControllerList

// Service is a name and an address for a set of pods.
//
// +kubebuilder:resource:shortName=svc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=.spec.clusterIP
// +kubebuilder:selectablefield:JSONPath=.spec.type
// +kubebuilder:printcolumn:name=Type,type=string,JSONPath=.spec.type
// +kubebuilder:printcolumn:name=Cluster-IP,type=string,JSONPath=.spec.clusterIP
// +kubebuilder:printcolumn:name="Port(s)",type=string,JSONPath=.spec.ports[*].port
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type Service = corev1.Service

// ServiceList is a list of them.
type ServiceList = corev1.ServiceList

// Endpoints are the addresses behind a service, in the form that came before endpoint slices.
//
// +kubebuilder:resource:path=endpoints,singular=endpoints,shortName=ep
// +kubebuilder:deprecatedversion:warning="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
type Endpoints = corev1.Endpoints

// EndpointsList is a list of them.
type EndpointsList = corev1.EndpointsList

// Node is a machine that runs pods.
//
// +kubebuilder:resource:scope=Cluster,shortName=no
// +kubebuilder:subresource:status
// +typeplane:subresource:name=proxy,methods=GET;POST;PUT;PATCH;DELETE,below=path
// +kubebuilder:selectablefield:JSONPath=.spec.unschedulable
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=.status.conditions[?(@.type=="Ready")].status
// +kubebuilder:printcolumn:name=Unschedulable,type=boolean,JSONPath=.spec.unschedulable
// +kubebuilder:printcolumn:name=Version,type=string,JSONPath=.status.nodeInfo.kubeletVersion
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +typeplane:validation:disabled=InPlacePodVerticalScalingSchedulerPreemption
type Node = corev1.Node

// NodeList is a list of them.
type NodeList = corev1.NodeList

// PersistentVolume is storage that outlives the pods which use it.
//
// +kubebuilder:resource:scope=Cluster,shortName=pv
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Capacity,type=string,JSONPath=.spec.capacity.storage
// +kubebuilder:printcolumn:name="Access Modes",type=string,JSONPath=.spec.accessModes[*]
// +kubebuilder:printcolumn:name="Reclaim Policy",type=string,JSONPath=.spec.persistentVolumeReclaimPolicy
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=.status.phase
// +kubebuilder:printcolumn:name=Claim,type=string,JSONPath=.spec.claimRef.name
// +kubebuilder:printcolumn:name=StorageClass,type=string,JSONPath=.spec.storageClassName
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type PersistentVolume = corev1.PersistentVolume

// PersistentVolumeList is a list of them.
type PersistentVolumeList = corev1.PersistentVolumeList

// PersistentVolumeClaim asks for a volume, and has it for as long as it is there.
//
// +kubebuilder:resource:shortName=pvc
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=.status.phase
// +kubebuilder:printcolumn:name=Volume,type=string,JSONPath=.spec.volumeName
// +kubebuilder:printcolumn:name=Capacity,type=string,JSONPath=.status.capacity.storage
// +kubebuilder:printcolumn:name="Access Modes",type=string,JSONPath=.spec.accessModes[*]
// +kubebuilder:printcolumn:name=StorageClass,type=string,JSONPath=.spec.storageClassName
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type PersistentVolumeClaim = corev1.PersistentVolumeClaim

// PersistentVolumeClaimList is a list of them.
type PersistentVolumeClaimList = corev1.PersistentVolumeClaimList
