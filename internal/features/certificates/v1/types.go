package v1

import certificatesv1 "k8s.io/api/certificates/v1"

// CertificateSigningRequest asks for a certificate, which a signer makes when somebody has approved
// it.
//
// +kubebuilder:resource:scope=Cluster,shortName=csr
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=.spec.signerName
// +typeplane:subresource:name=approval
type CertificateSigningRequest = certificatesv1.CertificateSigningRequest

// CertificateSigningRequestList is a list of requests for certificates.
type CertificateSigningRequestList = certificatesv1.CertificateSigningRequestList
