package v1

import admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

// MutatingAdmissionPolicy says what is made of writes, in expressions.
//
// +kubebuilder:resource:scope=Cluster,categories=api-extensions
type MutatingAdmissionPolicy = admissionregistrationv1.MutatingAdmissionPolicy

// MutatingAdmissionPolicyList is a list of policies.
type MutatingAdmissionPolicyList = admissionregistrationv1.MutatingAdmissionPolicyList

// MutatingAdmissionPolicyBinding says where a policy holds.
//
// +kubebuilder:resource:scope=Cluster,categories=api-extensions
type MutatingAdmissionPolicyBinding = admissionregistrationv1.MutatingAdmissionPolicyBinding

// MutatingAdmissionPolicyBindingList is a list of bindings.
type MutatingAdmissionPolicyBindingList = admissionregistrationv1.MutatingAdmissionPolicyBindingList

// ValidatingAdmissionPolicy says what writes have to be like, in expressions.
//
// +kubebuilder:resource:scope=Cluster,categories=api-extensions
// +kubebuilder:subresource:status
type ValidatingAdmissionPolicy = admissionregistrationv1.ValidatingAdmissionPolicy

// ValidatingAdmissionPolicyList is a list of policies.
type ValidatingAdmissionPolicyList = admissionregistrationv1.ValidatingAdmissionPolicyList

// ValidatingAdmissionPolicyBinding says where a policy holds, and what happens to a write that is
// not as it says.
//
// +kubebuilder:resource:scope=Cluster,categories=api-extensions
type ValidatingAdmissionPolicyBinding = admissionregistrationv1.ValidatingAdmissionPolicyBinding

// ValidatingAdmissionPolicyBindingList is a list of bindings.
type ValidatingAdmissionPolicyBindingList = admissionregistrationv1.ValidatingAdmissionPolicyBindingList
