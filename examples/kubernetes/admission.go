package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
)

// plugins are the plug-ins of admission that a cluster has beside those of its control plane. Their
// names are those of a kube-apiserver.
func plugins() []typeplane.AdmissionPlugin {
	return []typeplane.AdmissionPlugin{
		{Name: "Priority", New: newPriority},
		{Name: "DefaultTolerationSeconds", New: newTolerations},
		{Name: "StorageObjectInUseProtection", New: newProtection},
		{Name: "ServiceAddresses", KeyPrefix: addressPrefix, New: newAddresses},
	}
}

// creates says whether a request makes an object of the core group.
func creates(r *admission.Request, plurals ...string) bool {
	return r.Operation == admission.Create && r.Subresource == "" && r.Resource.Group == "" && slices.Contains(plurals, r.Resource.Resource)
}

// newTolerations has pods stay for five minutes on a node that is not seen any more.
func newTolerations(context.Context, *typeplane.Host, []byte) (admission.Plugin, error) {
	return admission.Plugin{
		Wants: func(r *admission.Request) bool { return creates(r, "pods") },
		Mutate: func(_ context.Context, r *admission.Request) error {
			pod, ok := r.Object.(*corev1.Pod)
			if !ok {
				return nil
			}
			for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
				if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
					return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
				}) {
					pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
						Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
					})
				}
			}
			return nil
		},
	}, nil
}

// newProtection keeps volumes and claims for as long as they are used: the controller manager takes
// the finalizers away.
func newProtection(context.Context, *typeplane.Host, []byte) (admission.Plugin, error) {
	finalizers := map[string]string{"persistentvolumes": "kubernetes.io/pv-protection", "persistentvolumeclaims": "kubernetes.io/pvc-protection"}
	return admission.Plugin{
		Wants: func(r *admission.Request) bool { return creates(r, "persistentvolumes", "persistentvolumeclaims") },
		Mutate: func(_ context.Context, r *admission.Request) error {
			obj, finalizer := r.Object.(metav1.Object), finalizers[r.Resource.Resource]
			if !slices.Contains(obj.GetFinalizers(), finalizer) {
				obj.SetFinalizers(append(obj.GetFinalizers(), finalizer))
			}
			return nil
		},
	}, nil
}

// newPriority gives a pod the number that its priority class stands for, for as long as it lives.
func newPriority(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), "")
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Subresource == "" && r.Resource.Group == "" && r.Resource.Resource == "pods" && r.Operation != admission.Delete
		},
		Mutate: func(ctx context.Context, r *admission.Request) error {
			pod, ok := r.Object.(*corev1.Pod)
			if !ok {
				return nil
			}
			if old, ok := r.Old.(*corev1.Pod); ok {
				if pod.Spec.Priority == nil {
					pod.Spec.Priority = old.Spec.Priority
				}
				if pod.Spec.PreemptionPolicy == nil {
					pod.Spec.PreemptionPolicy = old.Spec.PreemptionPolicy
				}
				return nil
			}
			class, err := priorityClass(ctx, classes, pod.Spec.PriorityClassName)
			if err == nil {
				err = setPriority(&pod.Spec, class)
			}
			if err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
				return err // of reading the classes
			}
			return admission.Forbidden(r, err)
		},
	}, nil
}

// priorityClass is the one of a name, or for "" the default one, which may be an empty one. It asks
// memory, as a kube-apiserver does.
func priorityClass(ctx context.Context, classes *rest.Resource, name string) (*schedulingv1.PriorityClass, error) {
	if name != "" {
		class := new(schedulingv1.PriorityClass)
		view, err := classes.Get.Get(ctx, rest.Name{Name: name}, metav1.GetOptions{ResourceVersion: "0"})
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("no PriorityClass with name %s was found", name)
		}
		if err != nil {
			return nil, err
		}
		return class, rest.Read(view, class)
	}
	var all schedulingv1.PriorityClassList
	view, err := classes.List.List(ctx, "", metav1.ListOptions{ResourceVersion: "0"})
	if err == nil {
		err = rest.Read(view, &all)
	}
	if err != nil {
		return nil, err
	}
	standard := &schedulingv1.PriorityClass{PreemptionPolicy: new(corev1.PreemptLowerPriority)}
	for i := range all.Items {
		if class := &all.Items[i]; class.GlobalDefault && (standard.Name == "" || class.Value < standard.Value) {
			standard = class
		}
	}
	return standard, nil
}

// setPriority writes down what a class says. Nobody else may say something else.
func setPriority(spec *corev1.PodSpec, class *schedulingv1.PriorityClass) error {
	if p := spec.Priority; p != nil && *p != class.Value {
		return fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", *p, class.Value)
	}
	spec.PriorityClassName, spec.Priority = class.Name, new(class.Value)
	if class.PreemptionPolicy == nil {
		return nil
	}
	if p := spec.PreemptionPolicy; p != nil && *p != *class.PreemptionPolicy {
		return fmt.Errorf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name", *p, *class.PreemptionPolicy)
	}
	spec.PreemptionPolicy = new(*class.PreemptionPolicy)
	return nil
}
