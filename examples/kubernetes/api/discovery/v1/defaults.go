package v1

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_EndpointPort speaks TCP, and has no name.
func SetDefaults_EndpointPort(in *discoveryv1.EndpointPort) {
	absent.Set(&in.Name, "")
	absent.Set(&in.Protocol, corev1.ProtocolTCP)
}
