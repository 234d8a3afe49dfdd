package v1

import coordinationv1 "k8s.io/api/coordination/v1"

// Lease says who leads, for how long.
//
// +kubebuilder:resource:scope=Namespaced
type Lease = coordinationv1.Lease

// LeaseList is a list of leases.
type LeaseList = coordinationv1.LeaseList
