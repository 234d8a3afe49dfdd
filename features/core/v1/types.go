package v1

import corev1 "k8s.io/api/core/v1"

// Namespace is a room in which names are unique.
//
// +kubebuilder:resource:scope=Cluster,shortName=ns
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=.status.phase
type Namespace = corev1.Namespace

// NamespaceList is a list of namespaces.
type NamespaceList = corev1.NamespaceList

// Secret holds what few may read.
//
// +kubebuilder:selectablefield:JSONPath=.type
type Secret = corev1.Secret

// SecretList is a list of secrets.
type SecretList = corev1.SecretList

// ConfigMap holds what programs read when they start.
//
// +kubebuilder:resource:shortName=cm
type ConfigMap = corev1.ConfigMap

// ConfigMapList is a list of config maps.
type ConfigMapList = corev1.ConfigMapList

// ServiceAccount is who a program is.
//
// +kubebuilder:resource:shortName=sa
type ServiceAccount = corev1.ServiceAccount

// ServiceAccountList is a list of service accounts.
type ServiceAccountList = corev1.ServiceAccountList

// LimitRange says how much a pod, a container or a claim of its namespace may use, and what it gets
// if it does not say.
//
// +kubebuilder:resource:shortName=limits
type LimitRange = corev1.LimitRange

// LimitRangeList is a list of limit ranges.
type LimitRangeList = corev1.LimitRangeList

// ResourceQuota says how much there may be of something in its namespace, all in all.
//
// +kubebuilder:resource:shortName=quota
// +kubebuilder:subresource:status
type ResourceQuota = corev1.ResourceQuota

// ResourceQuotaList is a list of resource quotas.
type ResourceQuotaList = corev1.ResourceQuotaList
