package kubernetes

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
)

// plugins are the plug-ins of admission that a cluster has beside those of its control plane. Their
// names are those of a kube-apiserver, but for PodSecurityWarning and ServiceAddresses.
func plugins() []typeplane.AdmissionPlugin {
	return []typeplane.AdmissionPlugin{
		{Name: "TaintNodesByCondition", New: newTaints},
		{Name: "PodSecurityWarning", New: newPodSecurity},
		{Name: "Priority", New: newPriority},
		{Name: "DefaultTolerationSeconds", New: newTolerations},
		{Name: "StorageObjectInUseProtection", New: newProtection},
		{Name: "RuntimeClass", New: newRuntimeClass},
		{Name: "DefaultIngressClass", New: newIngressClass},
		{Name: "PersistentVolumeClaimResize", Needs: []schema.GroupVersionResource{storageClasses}, New: newClaimResize},
		{Name: "PodTopologyLabels", New: newTopologyLabels},
		{Name: "ServiceAddresses", KeyPrefix: addressPrefix, New: newAddresses},
	}
}

// creates says whether a request makes an object of the core group.
func creates(r *admission.Request, plurals ...string) bool {
	return r.Operation == admission.Create && r.Subresource == "" && r.Resource.Group == "" && slices.Contains(plurals, r.Resource.Resource)
}

// get reads an object. Like list it asks memory, as a kube-apiserver does. What is not there may
// have been made just now, so it is asked for once more.
func get[T any, P interface {
	*T
	apiruntime.Object
}](ctx context.Context, of *rest.Resource, name string) (P, error) {
	obj := P(new(T))
	view, err := of.Get.Get(ctx, rest.Name{Name: name}, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) {
		view, err = of.Get.Get(ctx, rest.Name{Name: name}, metav1.GetOptions{})
	}
	if err == nil {
		err = rest.Read(view, obj)
	}
	return obj, err
}

// list reads all objects into a list.
func list(ctx context.Context, of *rest.Resource, into apiruntime.Object) error {
	view, err := of.List.List(ctx, "", metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	return rest.Read(view, into)
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
