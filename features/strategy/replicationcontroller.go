package strategy

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/runtime/semantic"
)

// ReplicationController is part of the strategy of replication controllers.
type ReplicationController struct {
	WithMetadata
	Orphaning
}

// WarningsOnCreate say what is odd about a new replication controller.
func (ReplicationController) WarningsOnCreate(_ context.Context, rc *corev1.ReplicationController) []string {
	var w Warnings
	w.NameOfPods(rc.Name)
	if rc.Spec.Template != nil {
		w.Template("spec.template", rc.Spec.Template)
	}
	return w.Texts()
}

// WarningsOnUpdate say what is odd about the template, if there is another specification.
func (ReplicationController) WarningsOnUpdate(_ context.Context, rc, old *corev1.ReplicationController) []string {
	var w Warnings
	if rc.Spec.Template != nil {
		w.Template("spec.template", rc.Spec.Template)
	}
	if len(w.Texts()) > 0 && semantic.Equal(rc.Spec, old.Spec) {
		return nil
	}
	return w.Texts()
}
