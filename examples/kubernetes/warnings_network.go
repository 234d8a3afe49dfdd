package kubernetes

//lint:file-ignore SA1019 who writes what is deprecated is told so

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/typeplane/typeplane/features/strategy"
)

// WarningsOnCreate say what is odd about new endpoints. What their controller writes is not looked
// at: it writes addresses as everybody does.
func (EndpointsStrategy) WarningsOnCreate(_ context.Context, endpoints *corev1.Endpoints) []string {
	var w strategy.Warnings
	if endpoints.Labels["endpoints.kubernetes.io/managed-by"] == "endpoint-controller" {
		return nil
	}
	for i := range endpoints.Subsets {
		subset := &endpoints.Subsets[i]
		for j := range subset.Addresses {
			w.Address(subset.Addresses[j].IP, "subsets[%d].addresses[%d].ip", i, j)
		}
		for j := range subset.NotReadyAddresses {
			w.Address(subset.NotReadyAddresses[j].IP, "subsets[%d].notReadyAddresses[%d].ip", i, j)
		}
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s EndpointsStrategy) WarningsOnUpdate(ctx context.Context, endpoints, _ *corev1.Endpoints) []string {
	return s.WarningsOnCreate(ctx, endpoints)
}

// WarningsOnCreate say what is odd about a new endpoint slice.
func (EndpointSliceStrategy) WarningsOnCreate(_ context.Context, slice *discoveryv1.EndpointSlice) []string {
	if slice.AddressType != discoveryv1.AddressTypeFQDN {
		return sliceWarnings(slice)
	}
	return []string{"spec.addressType: FQDN endpoints are deprecated"}
}

// WarningsOnUpdate say what is odd about the addresses.
func (EndpointSliceStrategy) WarningsOnUpdate(_ context.Context, slice, _ *discoveryv1.EndpointSlice) []string {
	return sliceWarnings(slice)
}

// sliceWarnings say what is odd about the addresses of a slice, but for those that a controller
// writes.
func sliceWarnings(slice *discoveryv1.EndpointSlice) []string {
	switch slice.Labels[discoveryv1.LabelManagedBy] {
	case "endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io":
		return nil
	}
	var w strategy.Warnings
	for i := range slice.Endpoints {
		for j, address := range slice.Endpoints[i].Addresses {
			w.Address(address, "endpoints[%d].addresses[%d]", i, j)
		}
	}
	return w.Texts()
}

// WarningsOnCreate say what is odd about a new ingress.
func (IngressStrategy) WarningsOnCreate(_ context.Context, ingress *networkingv1.Ingress) []string {
	if _, old := ingress.Annotations["kubernetes.io/ingress.class"]; !old || ingress.Spec.IngressClassName != nil {
		return nil
	}
	return []string{`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`}
}

// WarningsOnStatusUpdate say what is odd about where an ingress is reached.
func (IngressStrategy) WarningsOnStatusUpdate(_ context.Context, ingress, _ *networkingv1.Ingress) []string {
	var w strategy.Warnings
	for i := range ingress.Status.LoadBalancer.Ingress {
		w.Address(ingress.Status.LoadBalancer.Ingress[i].IP, "status.loadBalancer.ingress[%d]", i)
	}
	return w.Texts()
}

// NetworkPolicyStrategy holds what is special about network policies.
type NetworkPolicyStrategy struct{}

// WarningsOnCreate say what is odd about a new policy.
func (NetworkPolicyStrategy) WarningsOnCreate(_ context.Context, policy *networkingv1.NetworkPolicy) []string {
	var w strategy.Warnings
	for i := range policy.Spec.Ingress {
		warnOfPeers(&w, "ingress", "from", i, policy.Spec.Ingress[i].From)
	}
	for i := range policy.Spec.Egress {
		warnOfPeers(&w, "egress", "to", i, policy.Spec.Egress[i].To)
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s NetworkPolicyStrategy) WarningsOnUpdate(ctx context.Context, policy, _ *networkingv1.NetworkPolicy) []string {
	return s.WarningsOnCreate(ctx, policy)
}

// warnOfPeers looks at the ranges of addresses of a rule, which is the i-th in a direction.
func warnOfPeers(w *strategy.Warnings, direction, list string, i int, peers []networkingv1.NetworkPolicyPeer) {
	for j := range peers {
		block := peers[j].IPBlock
		if block == nil {
			continue
		}
		w.CIDR(block.CIDR, "spec.%s[%d].%s[%d].ipBlock.cidr", direction, i, list, j)
		for k, except := range block.Except {
			w.CIDR(except, "spec.%s[%d].%s[%d].ipBlock.except[%d]", direction, i, list, j, k)
		}
	}
}

// WarningsOnCreate say what is odd about a new node.
func (NodeStrategy) WarningsOnCreate(_ context.Context, node *corev1.Node) []string {
	var w strategy.Warnings
	if node.Spec.ConfigSource != nil {
		w.Add("spec.configSource: the feature is removed")
	}
	if node.Spec.DoNotUseExternalID != "" {
		w.Add("spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, cidr := range node.Spec.PodCIDRs {
		w.CIDR(cidr, "spec.podCIDRs[%d]", i)
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s NodeStrategy) WarningsOnUpdate(ctx context.Context, node, _ *corev1.Node) []string {
	return s.WarningsOnCreate(ctx, node)
}
