package v1

import authenticationv1 "k8s.io/api/authentication/v1"

// TokenReview asks whose token it is.
//
// +kubebuilder:skipversion
type TokenReview = authenticationv1.TokenReview

// SelfSubjectReview asks who asks.
//
// +kubebuilder:skipversion
type SelfSubjectReview = authenticationv1.SelfSubjectReview
