package storageclass_test

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/storageclass"
)

const mark, oldMark = "storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"

// class is one that was made so many seconds after the first.
func class(name string, seconds int, annotations ...string) storagev1.StorageClass {
	c := storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(1e9, 0).Add(time.Duration(seconds) * time.Second))}}
	for i := 0; i < len(annotations); i += 2 {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, annotations[i], annotations[i+1])
	}
	return c
}

// TestDefaultStorageClass has the cases of Kubernetes' plug-in.
func TestDefaultStorageClass(t *testing.T) {
	named, none := "mine", ""
	for name, tc := range map[string]struct {
		classes []storagev1.StorageClass
		claim   corev1.PersistentVolumeClaim
		want    string // "-" is no class at all
	}{
		"no classes":            {want: "-"},
		"no default":            {classes: []storagev1.StorageClass{class("a", 0), class("b", 0, mark, "false"), class("c", 0, mark, "")}, want: "-"},
		"one default":           {classes: []storagev1.StorageClass{class("a", 0), class("b", 0, mark, "true")}, want: "b"},
		"one by the older mark": {classes: []storagev1.StorageClass{class("a", 0), class("b", 0, oldMark, "true")}, want: "b"},
		"the newest of several": {classes: []storagev1.StorageClass{class("a", 0, mark, "true"), class("b", 2, mark, "true"), class("c", 1, mark, "true")}, want: "b"},
		"the first of a second": {classes: []storagev1.StorageClass{class("c", 1, mark, "true"), class("b", 1, mark, "true")}, want: "b"},
		"a claim with a class":  {classes: []storagev1.StorageClass{class("b", 0, mark, "true")}, claim: corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &named}}, want: "mine"},
		"a claim without one":   {classes: []storagev1.StorageClass{class("b", 0, mark, "true")}, claim: corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &none}}, want: ""},
		"a claim with the old mark": {
			classes: []storagev1.StorageClass{class("b", 0, mark, "true")},
			claim:   corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{corev1.BetaStorageClassAnnotation: "old"}}}, want: "-",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := new(admission.Chain)
			c.Set([]admission.Plugin{storageclass.New(storageclass.Config{
				StorageClasses: func(context.Context) ([]storagev1.StorageClass, error) { return tc.classes, nil },
			})})
			r := request()
			r.Object = &tc.claim
			if err := c.Mutate(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			got := "-"
			if name := tc.claim.Spec.StorageClassName; name != nil {
				got = *name
			}
			if got != tc.want {
				t.Errorf("class %q, want %q", got, tc.want)
			}
		})
	}
}

func request() *admission.Request {
	return &admission.Request{Operation: admission.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}, Namespace: "ns", Name: "c"}
}

// TestOnlyNewClaims: nothing else is asked about, and classes that can't be read keep a claim out.
func TestOnlyNewClaims(t *testing.T) {
	p := storageclass.New(storageclass.Config{
		StorageClasses: func(context.Context) ([]storagev1.StorageClass, error) { return nil, errors.New("no answer") },
	})
	for name, change := range map[string]func(*admission.Request){
		"an update":          func(r *admission.Request) { r.Operation = admission.Update },
		"a deletion":         func(r *admission.Request) { r.Operation = admission.Delete },
		"the status":         func(r *admission.Request) { r.Subresource = "status" },
		"another kind":       func(r *admission.Request) { r.Resource.Resource = "pods" },
		"claims of a group ": func(r *admission.Request) { r.Resource.Group = "example.com" },
	} {
		r := request()
		change(r)
		if p.Wants(r) {
			t.Errorf("%s is wanted", name)
		}
	}
	r := request()
	r.Object = new(corev1.PersistentVolumeClaim)
	if err := p.Mutate(context.Background(), r); !p.Wants(r) || err == nil {
		t.Errorf("classes that can't be read: %v", err)
	}
	r.Object = new(corev1.Pod)
	if err := p.Mutate(context.Background(), r); err != nil {
		t.Errorf("a claim of a type of its own: %v", err)
	}
}
