package v1

import authorizationv1 "k8s.io/api/authorization/v1"

// SubjectAccessReview asks whether somebody may do something.
//
// +kubebuilder:skipversion
type SubjectAccessReview = authorizationv1.SubjectAccessReview

// LocalSubjectAccessReview asks so for one namespace.
//
// +kubebuilder:skipversion
type LocalSubjectAccessReview = authorizationv1.LocalSubjectAccessReview

// SelfSubjectAccessReview asks whether who asks may do something.
//
// +kubebuilder:skipversion
type SelfSubjectAccessReview = authorizationv1.SelfSubjectAccessReview

// SelfSubjectRulesReview asks what who asks may do in a namespace.
//
// +kubebuilder:skipversion
type SelfSubjectRulesReview = authorizationv1.SelfSubjectRulesReview
