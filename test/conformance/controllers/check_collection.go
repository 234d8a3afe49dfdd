package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

const keep = "example.com/keep"

// family is owners and dependents, which are config maps.
type family struct {
	w    *world
	maps corev1.ConfigMapInterface
}

func collectionChecks(w *world) []check {
	f := &family{w: w, maps: w.client.CoreV1().ConfigMaps("collection")}
	return []check{
		{"garbage collection: what a deleted object owned goes after it, in the background", f.background},
		{"garbage collection: an owner waits for what blocks it, in the foreground", f.foreground},
		{"garbage collection: orphans lose the reference, and stay", f.orphan},
		{"garbage collection: what names an owner that never was goes", f.dangling},
		{"garbage collection: what has another owner left loses one reference, and stays", f.second},
		{"garbage collection: an object in no namespace owns one in a namespace", f.cluster},
		{"garbage collection: a chain of owners goes from the first to the last", f.chain},
	}
}

func reference(owner *v1.ConfigMap, blocks bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: &blocks}
}

func (f *family) create(ctx context.Context, name string, owners ...metav1.OwnerReference) (*v1.ConfigMap, error) {
	return f.maps.Create(ctx, configMap(name, owners...), metav1.CreateOptions{})
}

// pair makes an owner and a dependent, called after the case.
func (f *family) pair(ctx context.Context, name string) (owner, dependent *v1.ConfigMap, err error) {
	if owner, err = f.create(ctx, name+"-owner"); err != nil {
		return nil, nil, err
	}
	dependent, err = f.create(ctx, name+"-dependent", reference(owner, true))
	return owner, dependent, err
}

func (f *family) delete(ctx context.Context, m *v1.ConfigMap, how metav1.DeletionPropagation) error {
	return f.maps.Delete(ctx, m.Name, metav1.DeleteOptions{PropagationPolicy: &how})
}

func (f *family) awaitGone(ctx context.Context, m *v1.ConfigMap) error {
	return eventually(ctx, func(ctx context.Context) error {
		_, err := f.maps.Get(ctx, m.Name, metav1.GetOptions{})
		return gone(err)
	})
}

func (f *family) patch(ctx context.Context, m *v1.ConfigMap, patch string) error {
	_, err := f.maps.Patch(ctx, m.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (f *family) background(ctx context.Context) error {
	if err := f.w.namespace(ctx, "collection"); err != nil {
		return err
	}
	owner, dependent, err := f.pair(ctx, "background")
	if err != nil {
		return err
	}
	if err := f.delete(ctx, owner, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	return f.awaitGone(ctx, dependent)
}

func (f *family) foreground(ctx context.Context) error {
	owner, dependent, err := f.pair(ctx, "foreground")
	if err != nil {
		return err
	}
	if err := f.patch(ctx, dependent, `{"metadata":{"finalizers":["`+keep+`"]}}`); err != nil {
		return err
	}
	if err := f.delete(ctx, owner, metav1.DeletePropagationForeground); err != nil {
		return err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		d, err := f.maps.Get(ctx, dependent.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return want(d.DeletionTimestamp != nil, "the dependent is not being deleted")
	})
	if err != nil {
		return err
	}
	waiting, err := f.maps.Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := want(waiting.DeletionTimestamp != nil && len(waiting.Finalizers) == 1 && waiting.Finalizers[0] == metav1.FinalizerDeleteDependents, "finalizers of the owner: %v", waiting.Finalizers); err != nil {
		return err
	}
	if err := f.patch(ctx, dependent, `{"metadata":{"finalizers":null}}`); err != nil {
		return err
	}
	return f.awaitGone(ctx, owner)
}

func (f *family) orphan(ctx context.Context) error {
	owner, dependent, err := f.pair(ctx, "orphan")
	if err != nil {
		return err
	}
	if err := f.delete(ctx, owner, metav1.DeletePropagationOrphan); err != nil {
		return err
	}
	if err := f.awaitGone(ctx, owner); err != nil {
		return err
	}
	d, err := f.maps.Get(ctx, dependent.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return want(len(d.OwnerReferences) == 0, "it is owned by %v", d.OwnerReferences)
}

func (f *family) dangling(ctx context.Context) error {
	never := configMap("never")
	never.UID = "00000000-0000-0000-0000-000000000001"
	d, err := f.create(ctx, "dangling", reference(never, false))
	if err != nil {
		return err
	}
	return f.awaitGone(ctx, d)
}

func (f *family) second(ctx context.Context) error {
	one, err := f.create(ctx, "second-one")
	if err != nil {
		return err
	}
	two, err := f.create(ctx, "second-two")
	if err != nil {
		return err
	}
	d, err := f.create(ctx, "second-dependent", reference(one, false), reference(two, false))
	if err != nil {
		return err
	}
	if err := f.delete(ctx, one, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error {
		d, err := f.maps.Get(ctx, d.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return want(len(d.OwnerReferences) == 1 && d.OwnerReferences[0].UID == two.UID, "it is owned by %v", d.OwnerReferences)
	})
}

func (f *family) cluster(ctx context.Context) error {
	volumes := f.w.client.CoreV1().PersistentVolumes()
	volume, err := volumes.Create(ctx, volume("owner"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	d, err := f.create(ctx, "cluster-dependent", metav1.OwnerReference{APIVersion: "v1", Kind: "PersistentVolume", Name: volume.Name, UID: volume.UID})
	if err != nil {
		return err
	}
	if err := volumes.Delete(ctx, volume.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return f.awaitGone(ctx, d)
}

func (f *family) chain(ctx context.Context) error {
	first, err := f.create(ctx, "chain-0")
	if err != nil {
		return err
	}
	last := first
	for _, name := range []string{"chain-1", "chain-2", "chain-3"} {
		if last, err = f.create(ctx, name, reference(last, false)); err != nil {
			return err
		}
	}
	if err := f.delete(ctx, first, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	return f.awaitGone(ctx, last)
}

// volume is one of 1 GiB, which nothing provides.
func volume(name string) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{
			Capacity:                      v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:                   []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource:        v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/nothing"}},
		},
	}
}
