package kubernetes

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/features/strategy"
)

// WarningsOnCreate say what is odd about a new service.
func (ServiceStrategy) WarningsOnCreate(_ context.Context, service *corev1.Service) []string {
	var w strategy.Warnings
	if _, old := service.Annotations[corev1.DeprecatedAnnotationTopologyAwareHints]; old {
		w.Add("annotation %s is deprecated, please use %s instead", corev1.DeprecatedAnnotationTopologyAwareHints, corev1.AnnotationTopologyMode)
	}
	warnOfAddresses(&w, &service.Spec)
	warnOfIgnored(&w, &service.Spec)
	if to := service.Spec.TrafficDistribution; to != nil && *to == corev1.ServiceTrafficDistributionPreferClose {
		w.Add("spec.trafficDistribution: %q is deprecated; use %q", *to, corev1.ServiceTrafficDistributionPreferSameZone)
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s ServiceStrategy) WarningsOnUpdate(ctx context.Context, service, _ *corev1.Service) []string {
	return s.WarningsOnCreate(ctx, service)
}

// WarningsOnStatusUpdate say what is odd about where a load balancer is reached.
func (ServiceStrategy) WarningsOnStatusUpdate(_ context.Context, service, _ *corev1.Service) []string {
	var w strategy.Warnings
	for i := range service.Status.LoadBalancer.Ingress {
		w.Address(service.Status.LoadBalancer.Ingress[i].IP, "status.loadBalancer.ingress[%d]", i)
	}
	return w.Texts()
}

// warnOfAddresses looks at addresses that clients write.
func warnOfAddresses(w *strategy.Warnings, spec *corev1.ServiceSpec) {
	if spec.ClusterIP != corev1.ClusterIPNone {
		for i, address := range spec.ClusterIPs {
			w.Address(address, "spec.clusterIPs[%d]", i)
		}
	}
	for i, address := range spec.ExternalIPs {
		w.Address(address, "spec.externalIPs[%d]", i)
	}
	w.Address(spec.LoadBalancerIP, "spec.loadBalancerIP")
	for i, cidr := range spec.LoadBalancerSourceRanges {
		w.CIDR(cidr, "spec.loadBalancerSourceRanges[%d]", i)
	}
}

// warnOfIgnored looks for what nobody reads of a service of such a type.
func warnOfIgnored(w *strategy.Warnings, spec *corev1.ServiceSpec) {
	headless := spec.Type == corev1.ServiceTypeClusterIP && spec.ClusterIP == corev1.ClusterIPNone
	external := spec.Type == corev1.ServiceTypeExternalName
	if headless && spec.LoadBalancerIP != "" {
		w.Add("spec.loadBalancerIP is ignored for headless services")
	}
	if headless && spec.SessionAffinity != corev1.ServiceAffinityNone {
		w.Add("spec.SessionAffinity is ignored for headless services")
	}
	if !external && spec.ExternalName != "" {
		w.Add("spec.externalName is ignored when spec.type is not %q", corev1.ServiceTypeExternalName)
	}
	switch {
	case len(spec.ExternalIPs) == 0:
	case headless:
		w.Add("spec.externalIPs is ignored for headless services")
	case external:
		w.Add("spec.externalIPs is ignored when spec.type is %q", corev1.ServiceTypeExternalName)
	default:
		w.Add("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
}
