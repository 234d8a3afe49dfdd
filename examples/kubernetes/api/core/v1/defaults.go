package v1

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	_ "github.com/typeplane/typeplane/examples/cluster/api/core/v1" // the defaults of pods and volumes
	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_NodeSpec has both fields with the addresses of a node's pods say the same. The older
// one counts.
func SetDefaults_NodeSpec(in *corev1.NodeSpec) {
	switch {
	case in.PodCIDR == "" && len(in.PodCIDRs) > 0:
		in.PodCIDR = in.PodCIDRs[0]
	case in.PodCIDR != "" && (len(in.PodCIDRs) == 0 || in.PodCIDRs[0] != in.PodCIDR):
		in.PodCIDRs = []string{in.PodCIDR}
	}
}

// SetDefaults_NodeStatus: all that a node has can be used, unless it says what can.
func SetDefaults_NodeStatus(in *corev1.NodeStatus) {
	if in.Allocatable == nil {
		in.Allocatable = maps.Clone(in.Capacity)
	}
}

// SetDefaults_Service says how a service is reached.
func SetDefaults_Service(in *corev1.Service) {
	absent.Fill(&in.Spec.Type, corev1.ServiceTypeClusterIP)
	setAffinity(&in.Spec)
	for i := range in.Spec.Ports {
		port := &in.Spec.Ports[i]
		absent.Fill(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == intstr.FromInt32(0) || port.TargetPort == intstr.FromString("") {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
	outside := in.Spec.Type == corev1.ServiceTypeNodePort || in.Spec.Type == corev1.ServiceTypeLoadBalancer
	if outside || in.Spec.Type == corev1.ServiceTypeClusterIP {
		absent.Set(&in.Spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if outside || in.Spec.Type == corev1.ServiceTypeClusterIP && len(in.Spec.ExternalIPs) > 0 {
		absent.Fill(&in.Spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if in.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return
	}
	absent.Set(&in.Spec.AllocateLoadBalancerNodePorts, true)
	for i := range in.Status.LoadBalancer.Ingress {
		if to := &in.Status.LoadBalancer.Ingress[i]; to.IP != "" {
			absent.Set(&to.IPMode, corev1.LoadBalancerIPModeVIP)
		}
	}
}

// setAffinity says for how long a client keeps its pod, where it does at all.
func setAffinity(spec *corev1.ServiceSpec) {
	absent.Fill(&spec.SessionAffinity, corev1.ServiceAffinityNone)
	switch config := spec.SessionAffinityConfig; {
	case spec.SessionAffinity == corev1.ServiceAffinityNone:
		spec.SessionAffinityConfig = nil
	case spec.SessionAffinity == corev1.ServiceAffinityClientIP && (config == nil || config.ClientIP == nil || config.ClientIP.TimeoutSeconds == nil):
		seconds := corev1.DefaultClientIPServiceAffinitySeconds
		spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
	}
}

// SetDefaults_EndpointPort speaks TCP.
func SetDefaults_EndpointPort(in *corev1.EndpointPort) { absent.Fill(&in.Protocol, corev1.ProtocolTCP) }
