package main

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const protectionNamespace = "protection"

func protectionChecks(w *world) []check {
	return []check{
		{"protection: a claim that a pod uses stays until the pod is gone", w.claim},
		{"protection: a bound volume stays until it is released", w.volume},
	}
}

func (w *world) claim(ctx context.Context) error {
	if err := w.namespace(ctx, protectionNamespace); err != nil {
		return err
	}
	claims, pods := w.client.CoreV1().PersistentVolumeClaims(protectionNamespace), w.client.CoreV1().Pods(protectionNamespace)
	if _, err := claims.Create(ctx, &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: v1.PersistentVolumeClaimSpec{
		AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
		Resources:   v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}},
	}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	get := func(ctx context.Context) (metav1.Object, error) { return claims.Get(ctx, "data", metav1.GetOptions{}) }
	if err := awaitFinalizer(ctx, get, "kubernetes.io/pvc-protection"); err != nil {
		return err
	}
	p := pod("user", nil)
	p.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := pods.Bind(ctx, &v1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "user"}, Target: v1.ObjectReference{Kind: "Node", Name: "node-1"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := claims.Delete(ctx, "data", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := staysDeleted(ctx, get); err != nil {
		return err
	}
	now := int64(0)
	if err := pods.Delete(ctx, "user", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return err
	}
	return awaitGone(ctx, get)
}

func (w *world) volume(ctx context.Context) error {
	volumes := w.client.CoreV1().PersistentVolumes()
	if _, err := volumes.Create(ctx, volume("bound"), metav1.CreateOptions{}); err != nil {
		return err
	}
	get := func(ctx context.Context) (metav1.Object, error) {
		return volumes.Get(ctx, "bound", metav1.GetOptions{})
	}
	if err := awaitFinalizer(ctx, get, "kubernetes.io/pv-protection"); err != nil {
		return err
	}
	phase := func(phase v1.PersistentVolumePhase) error {
		v, err := volumes.Get(ctx, "bound", metav1.GetOptions{})
		if err != nil {
			return err
		}
		v.Status.Phase = phase
		_, err = volumes.UpdateStatus(ctx, v, metav1.UpdateOptions{})
		return err
	}
	if err := phase(v1.VolumeBound); err != nil {
		return err
	}
	if err := volumes.Delete(ctx, "bound", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := staysDeleted(ctx, get); err != nil {
		return err
	}
	if err := phase(v1.VolumeReleased); err != nil {
		return err
	}
	return awaitGone(ctx, get)
}

func awaitFinalizer(ctx context.Context, get func(context.Context) (metav1.Object, error), finalizer string) error {
	return eventually(ctx, func(ctx context.Context) error {
		o, err := get(ctx)
		if err != nil {
			return err
		}
		return want(slices.Contains(o.GetFinalizers(), finalizer), "its finalizers are %v", o.GetFinalizers())
	})
}

// staysDeleted wants an object that is being deleted. That it stays is shown by what is done to it
// after.
func staysDeleted(ctx context.Context, get func(context.Context) (metav1.Object, error)) error {
	o, err := get(ctx)
	if err != nil {
		return err
	}
	return want(o.GetDeletionTimestamp() != nil, "it is not being deleted")
}

func awaitGone(ctx context.Context, get func(context.Context) (metav1.Object, error)) error {
	return eventually(ctx, func(ctx context.Context) error {
		_, err := get(ctx)
		return gone(err)
	})
}
