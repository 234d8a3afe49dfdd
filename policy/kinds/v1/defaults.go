package v1

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The functions here are found by their names. What they do is what Kubernetes does.

func set[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// SetDefaults_MutatingAdmissionPolicySpec refuses what an expression fails over.
func SetDefaults_MutatingAdmissionPolicySpec(in *admissionregistrationv1.MutatingAdmissionPolicySpec) {
	set(&in.FailurePolicy, admissionregistrationv1.Fail)
}

// SetDefaults_ValidatingAdmissionPolicySpec refuses what an expression fails over.
func SetDefaults_ValidatingAdmissionPolicySpec(in *admissionregistrationv1.ValidatingAdmissionPolicySpec) {
	set(&in.FailurePolicy, admissionregistrationv1.Fail)
}

// SetDefaults_MatchResources takes every version of an object, whatever its labels and those of its
// namespace.
func SetDefaults_MatchResources(in *admissionregistrationv1.MatchResources) {
	set(&in.MatchPolicy, admissionregistrationv1.Equivalent)
	set(&in.NamespaceSelector, metav1.LabelSelector{})
	set(&in.ObjectSelector, metav1.LabelSelector{})
}

// SetDefaults_Rule makes a rule hold in namespaces and outside.
func SetDefaults_Rule(in *admissionregistrationv1.Rule) {
	set(&in.Scope, admissionregistrationv1.AllScopes)
}
