package v1

import flowcontrolv1 "k8s.io/api/flowcontrol/v1"

// FlowSchema says which priority level some requests belong to, and what tells their flows apart.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
type FlowSchema = flowcontrolv1.FlowSchema

// FlowSchemaList is a list of flow schemas.
type FlowSchemaList = flowcontrolv1.FlowSchemaList

// PriorityLevelConfiguration says how large a part of the server some requests share, and how they
// wait.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
type PriorityLevelConfiguration = flowcontrolv1.PriorityLevelConfiguration

// PriorityLevelConfigurationList is a list of priority levels.
type PriorityLevelConfigurationList = flowcontrolv1.PriorityLevelConfigurationList
