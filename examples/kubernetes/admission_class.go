package kubernetes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// newRuntimeClass writes into a new pod what its class says: what running it costs beside its
// containers, and on which nodes it can run.
func newRuntimeClass(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(nodev1.SchemeGroupVersion.WithResource("runtimeclasses"), "")
	of := func(ctx context.Context, r *admission.Request) (*corev1.Pod, *nodev1.RuntimeClass, error) {
		pod, ok := r.Object.(*corev1.Pod)
		if !ok || pod.Spec.RuntimeClassName == nil {
			return pod, nil, nil
		}
		class, err := get[nodev1.RuntimeClass](ctx, classes, *pod.Spec.RuntimeClassName)
		if apierrors.IsNotFound(err) {
			err = admission.Forbidden(r, fmt.Errorf("pod rejected: RuntimeClass %q not found", *pod.Spec.RuntimeClassName))
		}
		return pod, class, err
	}
	return admission.Plugin{
		Wants: func(r *admission.Request) bool { return creates(r, "pods") },
		Mutate: func(ctx context.Context, r *admission.Request) error {
			pod, class, err := of(ctx, r)
			if err != nil || class == nil {
				return err
			}
			return applyRuntimeClass(&pod.Spec, class)
		},
		// Whoever mutates later may have changed it.
		Validate: func(ctx context.Context, r *admission.Request) error {
			pod, class, err := of(ctx, r)
			if err != nil || pod == nil {
				return err
			}
			switch {
			case class != nil && class.Overhead != nil:
				return sameOverhead(class.Overhead.PodFixed, pod.Spec.Overhead)
			case pod.Spec.Overhead != nil:
				return errors.New("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
			}
			return nil
		},
	}, nil
}

func applyRuntimeClass(spec *corev1.PodSpec, class *nodev1.RuntimeClass) error {
	if class.Overhead != nil {
		if len(spec.Overhead) > 0 {
			if err := sameOverhead(class.Overhead.PodFixed, spec.Overhead); err != nil {
				return err
			}
		}
		spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling == nil {
		return nil
	}
	selector := class.Scheduling.NodeSelector
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		if said, ok := spec.NodeSelector[key]; ok && said != selector[key] {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, selector[key], key, said)
		}
	}
	merge(&spec.NodeSelector, selector)
	spec.Tolerations = mergeTolerations(spec.Tolerations, class.Scheduling.Tolerations)
	return nil
}

func sameOverhead(class, pod corev1.ResourceList) error {
	if semantic.Equal(class, pod) {
		return nil
	}
	return errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

// mostMerged is how many tolerations are compared with each other, which takes time by the square
// of their number. Of more some say what others say, too.
const mostMerged = 500

// mergeTolerations joins lists, without what others of them cover.
func mergeTolerations(lists ...[]corev1.Toleration) (merged []corev1.Toleration) {
	all := slices.Concat(lists...)
	if len(all) > mostMerged {
		return all
	}
	for i, t := range all {
		covered := slices.ContainsFunc(merged, func(o corev1.Toleration) bool { return covers(o, t) }) ||
			slices.ContainsFunc(all[i+1:], func(o corev1.Toleration) bool { return covers(o, t) && !semantic.Equal(o, t) })
		if !covered {
			merged = append(merged, t)
		}
	}
	return merged
}

// covers says whether a tolerates whatever b does.
func covers(a, b corev1.Toleration) bool {
	if semantic.Equal(a, b) {
		return true
	}
	everyKey := a.Key == "" && a.Operator == corev1.TolerationOpExists
	if a.Key != b.Key && !everyKey || a.Effect != b.Effect && a.Effect != "" {
		return false
	}
	if a.Effect == corev1.TaintEffectNoExecute && a.TolerationSeconds != nil &&
		(b.TolerationSeconds == nil || *b.TolerationSeconds > *a.TolerationSeconds) {
		return false
	}
	switch a.Operator {
	case corev1.TolerationOpExists:
		return true
	case corev1.TolerationOpEqual, "":
		return (b.Operator == corev1.TolerationOpEqual || b.Operator == "") && a.Value == b.Value
	}
	return false
}

// newIngressClass gives a new ingress that names no class the default one.
func newIngressClass(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(networkingv1.SchemeGroupVersion.WithResource("ingressclasses"), "")
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Operation == admission.Create && r.Subresource == "" && r.Resource.Group == networkingv1.GroupName && r.Resource.Resource == "ingresses"
		},
		Mutate: func(ctx context.Context, r *admission.Request) error {
			ingress, ok := r.Object.(*networkingv1.Ingress)
			if !ok || namesClass(ingress) {
				return nil
			}
			var all networkingv1.IngressClassList
			if err := list(ctx, classes, &all); err != nil {
				return err
			}
			if class := standardIngressClass(all.Items); class != nil {
				ingress.Spec.IngressClassName = &class.Name
			}
			return nil
		},
	}, nil
}

// namesClass says whether an ingress names its class, with the field or with the annotation that
// was there before it.
func namesClass(ingress *networkingv1.Ingress) bool {
	_, annotated := ingress.Annotations["kubernetes.io/ingress.class"]
	return annotated || ingress.Spec.IngressClassName != nil
}

// standardIngressClass is the newest of those that are marked as the default. Of several that were
// made in the same second, the first by name counts.
func standardIngressClass(classes []networkingv1.IngressClass) (standard *networkingv1.IngressClass) {
	for i := range classes {
		class := &classes[i]
		if class.Annotations[networkingv1.AnnotationIsDefaultIngressClass] != "true" {
			continue
		}
		if standard == nil || cmp.Or(class.CreationTimestamp.Compare(standard.CreationTimestamp.Time), cmp.Compare(standard.Name, class.Name)) > 0 {
			standard = class
		}
	}
	return standard
}

// storageClasses can be left out by the operator.
var storageClasses = storagev1.SchemeGroupVersion.WithResource("storageclasses")

// newClaimResize lets a claim grow if it is bound, and its class says that its volumes can.
func newClaimResize(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(storageClasses, "")
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Operation == admission.Update && r.Subresource == "" && r.Resource.Group == "" && r.Resource.Resource == "persistentvolumeclaims"
		},
		Validate: func(ctx context.Context, r *admission.Request) error {
			claim, _ := r.Object.(*corev1.PersistentVolumeClaim)
			old, ok := r.Old.(*corev1.PersistentVolumeClaim)
			if claim == nil || !ok {
				return nil
			}
			size, was := claim.Spec.Resources.Requests[corev1.ResourceStorage], old.Spec.Resources.Requests[corev1.ResourceStorage]
			switch {
			case size.Cmp(was) <= 0:
				return nil
			case old.Status.Phase != corev1.ClaimBound:
				//lint:ignore ST1005 these are the words of Kubernetes
				return errors.New("Only bound persistent volume claims can be expanded")
			case classOf(claim) != "" && classOf(claim) == classOf(old):
				class, err := get[storagev1.StorageClass](ctx, classes, classOf(claim))
				if err != nil && !apierrors.IsNotFound(err) {
					return err
				}
				if err == nil && class.AllowVolumeExpansion != nil && *class.AllowVolumeExpansion {
					return nil
				}
			}
			return errors.New("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")
		},
	}, nil
}

// classOf is the class of a claim, "" for none.
func classOf(claim *corev1.PersistentVolumeClaim) string {
	if class, ok := claim.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		return class
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}
