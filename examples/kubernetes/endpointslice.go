package kubernetes

import (
	"context"
	"maps"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/typeplane/typeplane/runtime/semantic"
)

// EndpointSliceStrategy holds what is special about endpoint slices.
type EndpointSliceStrategy struct{}

// PrepareForCreate takes out deprecatedTopology, which v1 shows and does not write.
func (EndpointSliceStrategy) PrepareForCreate(_ context.Context, slice *discoveryv1.EndpointSlice) {
	for i := range slice.Endpoints {
		slice.Endpoints[i].DeprecatedTopology = nil
	}
}

// PrepareForUpdate does so where endpoints change. It counts a change of the labels, too: they say
// which service a slice is of.
func (s EndpointSliceStrategy) PrepareForUpdate(ctx context.Context, slice, old *discoveryv1.EndpointSlice) {
	moved := !semantic.Equal(slice.Endpoints, old.Endpoints)
	if moved || !maps.Equal(slice.Labels, old.Labels) {
		slice.Generation = old.Generation + 1
	}
	if moved {
		s.PrepareForCreate(ctx, slice)
	}
}
