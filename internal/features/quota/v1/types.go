package v1

import corev1 "k8s.io/api/core/v1"

// ResourceQuota says how much there may be of something in its namespace, all in all.
//
// +kubebuilder:resource:shortName=quota
// +kubebuilder:subresource:status
type ResourceQuota = corev1.ResourceQuota

// ResourceQuotaList is a list of resource quotas.
type ResourceQuotaList = corev1.ResourceQuotaList
