package v1

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_NetworkPolicyPort speaks TCP.
func SetDefaults_NetworkPolicyPort(in *networkingv1.NetworkPolicyPort) {
	absent.Set(&in.Protocol, corev1.ProtocolTCP)
}

// SetDefaults_NetworkPolicy is about what comes in, and about what goes out if it says something of
// that.
func SetDefaults_NetworkPolicy(in *networkingv1.NetworkPolicy) {
	if len(in.Spec.PolicyTypes) > 0 {
		return
	}
	in.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(in.Spec.Egress) > 0 {
		in.Spec.PolicyTypes = append(in.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
}

// SetDefaults_IngressClassParametersReference is in no namespace.
func SetDefaults_IngressClassParametersReference(in *networkingv1.IngressClassParametersReference) {
	absent.Set(&in.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
}
