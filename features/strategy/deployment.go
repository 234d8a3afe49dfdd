package strategy

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
)

// Deployment is part of the strategy of deployments.
type Deployment struct{ WithMetadata }

// PrepareForUpdate counts a change of the annotations, too: those of a deployment are copied to
// what is made of it.
func (Deployment) PrepareForUpdate(_ context.Context, d, old *appsv1.Deployment) {
	if !maps.Equal(d.Annotations, old.Annotations) {
		d.Generation = old.Generation + 1
	}
}

// ResetFields are what a write leaves as it is: the labels, where it is one of the status.
func (Deployment) ResetFields(subresource string) []string {
	if subresource == "status" {
		return []string{"metadata.labels"}
	}
	return nil
}
