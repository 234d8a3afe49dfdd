package v1

import (
	storagev1 "k8s.io/api/storage/v1"

	_ "github.com/typeplane/typeplane/examples/cluster/api/core/v1" // defaults
)

// VolumeAttachment attaches a volume to a node.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Attacher,type=string,JSONPath=.spec.attacher
// +kubebuilder:printcolumn:name=PV,type=string,JSONPath=.spec.source.persistentVolumeName
// +kubebuilder:printcolumn:name=Node,type=string,JSONPath=.spec.nodeName
// +kubebuilder:printcolumn:name=Attached,type=boolean,JSONPath=.status.attached
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type VolumeAttachment = storagev1.VolumeAttachment

// VolumeAttachmentList is a list of them.
type VolumeAttachmentList = storagev1.VolumeAttachmentList

// CSIDriver is a driver of volumes.
//
// +kubebuilder:resource:scope=Cluster
type CSIDriver = storagev1.CSIDriver

// CSIDriverList is a list of them.
type CSIDriverList = storagev1.CSIDriverList

// CSINode says which drivers a node has.
//
// +kubebuilder:resource:scope=Cluster
type CSINode = storagev1.CSINode

// CSINodeList is a list of them.
type CSINodeList = storagev1.CSINodeList

// CSIStorageCapacity says how much room there is.
type CSIStorageCapacity = storagev1.CSIStorageCapacity

// CSIStorageCapacityList is a list of them.
type CSIStorageCapacityList = storagev1.CSIStorageCapacityList

// VolumeAttributesClass is what of a volume can be changed.
//
// +kubebuilder:resource:scope=Cluster,shortName=vac
// +kubebuilder:printcolumn:name=DriverName,type=string,JSONPath=.driverName
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type VolumeAttributesClass = storagev1.VolumeAttributesClass

// VolumeAttributesClassList is a list of them.
type VolumeAttributesClassList = storagev1.VolumeAttributesClassList
