package v1

import resourcev1 "k8s.io/api/resource/v1"

// ResourceSlice has devices of a node, or of several.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:selectablefield:JSONPath=.spec.nodeName
// +kubebuilder:selectablefield:JSONPath=.spec.driver
// +kubebuilder:printcolumn:name=Node,type=string,JSONPath=.spec.nodeName
// +kubebuilder:printcolumn:name=Driver,type=string,JSONPath=.spec.driver
// +kubebuilder:printcolumn:name=Pool,type=string,JSONPath=.spec.pool.name
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +typeplane:validation:disabled=DRAPartitionableDevicesType
type ResourceSlice = resourcev1.ResourceSlice

// ResourceSliceList is a list of them.
type ResourceSliceList = resourcev1.ResourceSliceList

// DeviceClass is a set of devices.
//
// +kubebuilder:resource:scope=Cluster
type DeviceClass = resourcev1.DeviceClass

// DeviceClassList is a list of them.
type DeviceClassList = resourcev1.DeviceClassList

// ResourceClaim asks for devices.
//
// +kubebuilder:subresource:status
type ResourceClaim = resourcev1.ResourceClaim

// ResourceClaimList is a list of them.
type ResourceClaimList = resourcev1.ResourceClaimList

// ResourceClaimTemplate is a claim for each pod of a set.
type ResourceClaimTemplate = resourcev1.ResourceClaimTemplate

// ResourceClaimTemplateList is a list of them.
type ResourceClaimTemplateList = resourcev1.ResourceClaimTemplateList

// DeviceTaintRule keeps pods from devices.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
type DeviceTaintRule = resourcev1.DeviceTaintRule

// DeviceTaintRuleList is a list of them.
type DeviceTaintRuleList = resourcev1.DeviceTaintRuleList
