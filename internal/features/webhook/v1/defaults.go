package v1

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The functions here are found by their names. What they do is what Kubernetes does.

const defaultTimeoutSeconds, defaultPort = 10, 443

func set[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// SetDefaults_ValidatingWebhook calls a webhook for every object that its rules name, and fails
// without an answer.
func SetDefaults_ValidatingWebhook(in *admissionregistrationv1.ValidatingWebhook) {
	set(&in.FailurePolicy, admissionregistrationv1.Fail)
	set(&in.MatchPolicy, admissionregistrationv1.Equivalent)
	set(&in.NamespaceSelector, metav1.LabelSelector{})
	set(&in.ObjectSelector, metav1.LabelSelector{})
	set(&in.TimeoutSeconds, defaultTimeoutSeconds)
}

// SetDefaults_MutatingWebhook does so too, and calls it once.
func SetDefaults_MutatingWebhook(in *admissionregistrationv1.MutatingWebhook) {
	set(&in.FailurePolicy, admissionregistrationv1.Fail)
	set(&in.MatchPolicy, admissionregistrationv1.Equivalent)
	set(&in.NamespaceSelector, metav1.LabelSelector{})
	set(&in.ObjectSelector, metav1.LabelSelector{})
	set(&in.TimeoutSeconds, defaultTimeoutSeconds)
	set(&in.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
}

// SetDefaults_Rule makes a rule hold in namespaces and outside.
func SetDefaults_Rule(in *admissionregistrationv1.Rule) {
	set(&in.Scope, admissionregistrationv1.AllScopes)
}

// SetDefaults_ServiceReference takes the port of HTTPS.
func SetDefaults_ServiceReference(in *admissionregistrationv1.ServiceReference) {
	set(&in.Port, defaultPort)
}
