package kubernetes

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// ServiceStrategy holds what is special about services. Their addresses are in service_address.go.
type ServiceStrategy struct {
	strategy.Uncounted
	strategy.WithMetadata
}

// AllowCreateOnUpdate: an update makes one, too.
func (ServiceStrategy) AllowCreateOnUpdate() bool { return true }

// PrepareForUpdate takes out what belonged to another type of service, where the client has sent it
// as it was. What it has changed is for the rules to judge.
func (ServiceStrategy) PrepareForUpdate(_ context.Context, service, old *corev1.Service) {
	is, was := &service.Spec, &old.Spec
	if ofNodes(was) && !ofNodes(is) && !newPorts(is.Ports, was.Ports) {
		for i := range is.Ports {
			is.Ports[i].NodePort = 0
		}
	}
	if wantsHealthPort(was) && !wantsHealthPort(is) && is.HealthCheckNodePort == was.HealthCheckNodePort {
		is.HealthCheckNodePort = 0
	}
	if reachedFromOutside(was) && !reachedFromOutside(is) && is.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		is.ExternalTrafficPolicy = ""
	}
	if is.Type == corev1.ServiceTypeLoadBalancer {
		return
	}
	service.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	if was.Type == corev1.ServiceTypeLoadBalancer {
		if semantic.Equal(is.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts) {
			is.AllocateLoadBalancerNodePorts = nil
		}
		if semantic.Equal(is.LoadBalancerClass, was.LoadBalancerClass) {
			is.LoadBalancerClass = nil
		}
	}
}

// ofNodes says whether a service may have ports on the nodes.
func ofNodes(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer
}

func reachedFromOutside(spec *corev1.ServiceSpec) bool {
	return ofNodes(spec) || spec.Type == corev1.ServiceTypeClusterIP && len(spec.ExternalIPs) > 0
}

// newPorts says whether somebody asks for ports of nodes that the service did not have.
func newPorts(ports, old []corev1.ServicePort) bool {
	had := map[int32]bool{0: true}
	for _, p := range old {
		had[p.NodePort] = true
	}
	return slices.ContainsFunc(ports, func(p corev1.ServicePort) bool { return !had[p.NodePort] })
}

// Validate validates the ports of a service.
func (ServiceStrategy) Validate(_ context.Context, service *corev1.Service) field.ErrorList {
	return validateServicePorts(service.Spec.Ports, specPath.Child("ports"))
}

// ValidateUpdate validates a changed service, which keeps its address.
func (s ServiceStrategy) ValidateUpdate(ctx context.Context, service, old *corev1.Service) field.ErrorList {
	errs := s.Validate(ctx, service)
	if old.Spec.ClusterIP == "" || !hasAddress(&old.Spec) || !hasAddress(&service.Spec) {
		return errs
	}
	return append(errs, fixed(specPath.Child("clusterIP"), service.Spec.ClusterIP, old.Spec.ClusterIP)...)
}

// validateServicePorts requires a unique name of each of several ports, and unique pairs of
// protocol and port, and of protocol and nodePort. Clients merge ports by port, with its protocol
// or without.
func validateServicePorts(ports []corev1.ServicePort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names, pairs := map[string]bool{}, map[corev1.ServicePort]bool{}
	for i, p := range rest.WhileFew(&errs, slices.All(ports)) {
		at := path.Index(i)
		switch {
		case p.Name != "":
			errs = append(errs, unique(at.Child("name"), p.Name, p.Name, names)...)
		case len(ports) > 1:
			errs = append(errs, field.Required(at.Child("name"), "a service with several ports needs a name for each"))
		}
		if p.NodePort != 0 {
			errs = append(errs, unique(at.Child("nodePort"), p.NodePort, corev1.ServicePort{Protocol: p.Protocol, NodePort: p.NodePort}, pairs)...)
		}
		pair := corev1.ServicePort{Protocol: p.Protocol, Port: p.Port}
		errs = append(errs, unique(at, pair, pair, pairs)...)
	}
	return errs
}
