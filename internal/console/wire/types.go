package wire

import (
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/typeplane/typeplane/internal/writesteps"
)

type (
	APIGroupDiscoveryList  = apidiscoveryv2.APIGroupDiscoveryList
	DeleteOptions          = metav1.DeleteOptions
	Event                  = corev1.Event
	Info                   = version.Info
	Lease                  = coordinationv1.Lease
	ListMeta               = metav1.ListMeta
	ObjectMeta             = metav1.ObjectMeta
	Scale                  = autoscalingv1.Scale
	SelfSubjectReview      = authenticationv1.SelfSubjectReview
	SelfSubjectRulesReview = authorizationv1.SelfSubjectRulesReview
	Status                 = metav1.Status
	Table                  = metav1.Table
	TypeMeta               = metav1.TypeMeta
	WriteSteps             = writesteps.WriteSteps
)
