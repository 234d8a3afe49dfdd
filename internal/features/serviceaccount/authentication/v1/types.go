package v1

import authenticationv1 "k8s.io/api/authentication/v1"

// TokenRequest asks for a token of a service account.
//
// +kubebuilder:skipversion
type TokenRequest = authenticationv1.TokenRequest
