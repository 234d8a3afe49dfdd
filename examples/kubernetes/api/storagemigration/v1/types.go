package v1

import storagemigrationv1 "k8s.io/api/storagemigration/v1"

// StorageVersionMigration has the controller manager write all objects of a kind again.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
type StorageVersionMigration = storagemigrationv1.StorageVersionMigration

// StorageVersionMigrationList is a list of them.
type StorageVersionMigrationList = storagemigrationv1.StorageVersionMigrationList
