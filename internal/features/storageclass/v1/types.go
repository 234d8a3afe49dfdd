package v1

import storagev1 "k8s.io/api/storage/v1"

// StorageClass says how volumes come to be, for claims that name it.
//
// +kubebuilder:resource:scope=Cluster,shortName=sc
type StorageClass = storagev1.StorageClass

// StorageClassList is a list of storage classes.
type StorageClassList = storagev1.StorageClassList
