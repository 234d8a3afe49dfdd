package v1

import admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

// MutatingWebhookConfiguration says who may change objects before they are stored.
//
// +kubebuilder:resource:scope=Cluster,categories=api-extensions
type MutatingWebhookConfiguration = admissionregistrationv1.MutatingWebhookConfiguration

// MutatingWebhookConfigurationList is a list of such configurations.
type MutatingWebhookConfigurationList = admissionregistrationv1.MutatingWebhookConfigurationList

// ValidatingWebhookConfiguration says who may refuse objects before they are stored.
//
// +kubebuilder:resource:scope=Cluster,categories=api-extensions
type ValidatingWebhookConfiguration = admissionregistrationv1.ValidatingWebhookConfiguration

// ValidatingWebhookConfigurationList is a list of such configurations.
type ValidatingWebhookConfigurationList = admissionregistrationv1.ValidatingWebhookConfigurationList
