package v1

import certificatesv1 "k8s.io/api/certificates/v1"

// ClusterTrustBundle has the authorities that a signer is known by.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:selectablefield:JSONPath=.spec.signerName
// +kubebuilder:printcolumn:name=SignerName,type=string,JSONPath=.spec.signerName
type ClusterTrustBundle = certificatesv1.ClusterTrustBundle

// ClusterTrustBundleList is a list of them.
type ClusterTrustBundleList = certificatesv1.ClusterTrustBundleList

// PodCertificateRequest asks for the certificate of a pod.
//
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=.spec.signerName
// +kubebuilder:selectablefield:JSONPath=.spec.podName
// +kubebuilder:selectablefield:JSONPath=.spec.nodeName
type PodCertificateRequest = certificatesv1.PodCertificateRequest

// PodCertificateRequestList is a list of them.
type PodCertificateRequestList = certificatesv1.PodCertificateRequestList
