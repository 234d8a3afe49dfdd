package v1

import corev1 "k8s.io/api/core/v1"

// ServiceAccount is who a program is.
//
// +kubebuilder:resource:shortName=sa
type ServiceAccount = corev1.ServiceAccount

// ServiceAccountList is a list of service accounts.
type ServiceAccountList = corev1.ServiceAccountList
