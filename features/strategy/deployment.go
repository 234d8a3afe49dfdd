package strategy

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/typeplane/typeplane/runtime/semantic"
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

// WarningsOnCreate say what is odd about a new deployment.
func (Deployment) WarningsOnCreate(_ context.Context, d *appsv1.Deployment) []string {
	var w Warnings
	w.NameOfPods(d.Name)
	w.Template("spec.template", &d.Spec.Template)
	return w.Texts()
}

// WarningsOnUpdate say what is odd about the template, if the deployment becomes another one.
func (Deployment) WarningsOnUpdate(_ context.Context, d, old *appsv1.Deployment) []string {
	var w Warnings
	w.Template("spec.template", &d.Spec.Template)
	if len(w.Texts()) > 0 && maps.Equal(d.Annotations, old.Annotations) && semantic.Equal(d.Spec, old.Spec) {
		return nil
	}
	return w.Texts()
}

// ResetFields are what a write leaves as it is: the labels, where it is one of the status.
func (Deployment) ResetFields(subresource string) []string {
	if subresource == "status" {
		return []string{"metadata.labels"}
	}
	return nil
}
