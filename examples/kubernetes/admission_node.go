package kubernetes

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
)

// newTaints keeps pods away from a new node until the controller manager has seen it ready.
func newTaints(context.Context, *typeplane.Host, []byte) (admission.Plugin, error) {
	return admission.Plugin{
		Wants: func(r *admission.Request) bool { return creates(r, "nodes") },
		Mutate: func(_ context.Context, r *admission.Request) error {
			node, ok := r.Object.(*corev1.Node)
			if !ok {
				return nil
			}
			notReady := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
			if !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&notReady) }) {
				node.Spec.Taints = append(node.Spec.Taints, notReady)
			}
			return nil
		},
	}, nil
}

// topologyLabels are those of a node that its pods have, too.
var topologyLabels = []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion}

// newTopologyLabels labels a pod with where its node is: one that is made for a node, and one that
// gets it by a binding.
func newTopologyLabels(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	nodes := h.Resource(corev1.SchemeGroupVersion.WithResource("nodes"), "")
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return creates(r, "pods") || r.Operation == admission.Create && r.Resource.Group == "" && r.Resource.Resource == "pods" && r.Subresource == "binding"
		},
		Mutate: func(ctx context.Context, r *admission.Request) error {
			var name string
			var on *map[string]string
			switch obj := r.Object.(type) {
			case *corev1.Pod:
				name, on = obj.Spec.NodeName, &obj.Labels
			case *corev1.Binding:
				name, on = obj.Target.Name, &obj.Labels
			}
			if name == "" {
				return nil
			}
			node, err := get[corev1.Node](ctx, nodes, name)
			if apierrors.IsNotFound(err) {
				return nil // there may be one later
			}
			if err != nil {
				return err
			}
			where := maps.Clone(node.Labels)
			maps.DeleteFunc(where, func(key, _ string) bool { return !slices.Contains(topologyLabels, key) })
			merge(on, where)
			return nil
		},
	}, nil
}

// merge writes labels, or the like, over those that are there.
func merge(to *map[string]string, from map[string]string) {
	if *to == nil && len(from) > 0 {
		*to = map[string]string{}
	}
	maps.Copy(*to, from)
}

// podSecurity begins the labels by which a namespace asks that its pods are judged.
const podSecurity = "pod-security.kubernetes.io/"

// newPodSecurity says that the levels of pod security are not enforced here, to whoever asks for
// them. A policy can take their place (module policy).
func newPodSecurity(context.Context, *typeplane.Host, []byte) (admission.Plugin, error) {
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Operation != admission.Delete && r.Subresource == "" && r.Resource.Group == "" && r.Resource.Resource == "namespaces"
		},
		Validate: func(_ context.Context, r *admission.Request) error {
			ns, ok := r.Object.(*corev1.Namespace)
			if !ok {
				return nil
			}
			for _, key := range slices.Sorted(maps.Keys(ns.Labels)) {
				if strings.HasPrefix(key, podSecurity) {
					r.Notes.Warn("metadata.labels[" + key + "]: this server does not judge pods by levels of pod security; write a ValidatingAdmissionPolicy")
				}
			}
			return nil
		},
	}, nil
}
