// Package storageclass has storage classes, as Kubernetes has them, and the admission plug-in
// DefaultStorageClass, which gives a claim the default one.
//
// Start reading at API. The kind is in the folder below, its rules are in strategy.go, the plug-in
// is in default.go.
//
// +typeplane:apiserver
package storageclass

import (
	"context"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/internal/reader"
)

var storageClasses = storagev1.SchemeGroupVersion.WithResource("storageclasses")

// API returns storage classes for a server that asks for them, with the plug-in that gives claims
// the default one.
func API() typeplane.API {
	api := newAPI()
	api.Admission = []typeplane.AdmissionPlugin{{Name: PluginName, Needs: []schema.GroupVersionResource{storageClasses}, New: newPlugin}}
	return api
}

func newPlugin(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(storageClasses, "").List
	return New(Config{
		StorageClasses: func(ctx context.Context) ([]storagev1.StorageClass, error) {
			var list storagev1.StorageClassList
			err := reader.List(ctx, classes, "", &list)
			return list.Items, err
		},
	}), nil
}
