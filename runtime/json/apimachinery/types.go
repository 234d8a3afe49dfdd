package apimachinery

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Condition is a named state of an object.
//
// +typeplane:json-gen=true
type Condition = metav1.Condition

// LabelSelector selects objects by their labels.
//
// +typeplane:json-gen=true
type LabelSelector = metav1.LabelSelector

// LabelSelectorRequirement is one condition of a LabelSelector.
//
// +typeplane:json-gen=true
type LabelSelectorRequirement = metav1.LabelSelectorRequirement

// ListMeta is the metadata of a list.
//
// +typeplane:json-gen=true
type ListMeta = metav1.ListMeta

// ManagedFieldsEntry says which fields a manager owns.
//
// +typeplane:json-gen=true
type ManagedFieldsEntry = metav1.ManagedFieldsEntry

// ObjectMeta is the metadata of an object.
//
// +typeplane:json-gen=true
type ObjectMeta = metav1.ObjectMeta

// OwnerReference names the owner of an object.
//
// +typeplane:json-gen=true
type OwnerReference = metav1.OwnerReference

// Status is the answer to a request that failed, or has no object to show.
//
// +typeplane:json-gen=true
type Status = metav1.Status

// StatusCause is one reason of a Status.
//
// +typeplane:json-gen=true
type StatusCause = metav1.StatusCause

// StatusDetails says what a Status is about.
//
// +typeplane:json-gen=true
type StatusDetails = metav1.StatusDetails
