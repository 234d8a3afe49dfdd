// Package limitrange has the limit ranges of Kubernetes, and the admission plug-in LimitRanger
// that enforces them. Pods and claims keep within the limit ranges of their namespace. A
// container that says nothing of a resource gets the default request and limit.
//
// Start reading at API. The kind is in the folder below, its rules are in strategy.go. The plug-in
// is New; constraints.go compares a pod with a range.
// Limit ranges count for what is made, and for claims and resizes also when it is changed; what was
// there before a range is left alone.
//
// +typeplane:apiserver
package limitrange

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/internal/reader"
)

var limitRanges = schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}

// API returns limit ranges for a server that asks for them, with the plug-in by which they hold.
func API() typeplane.API {
	api := newAPI()
	api.Admission = []typeplane.AdmissionPlugin{{Name: PluginName, Needs: []schema.GroupVersionResource{limitRanges}, New: newPlugin}}
	return api
}

func newPlugin(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	ranges := h.Resource(limitRanges, "").List
	return New(Config{
		// A range counts as soon as it is made: whoever makes one and then a pod expects that.
		LimitRanges: func(ctx context.Context, namespace string) ([]corev1.LimitRange, error) {
			var list corev1.LimitRangeList
			err := reader.List(ctx, ranges, namespace, &list)
			return list.Items, err
		},
	}), nil
}
