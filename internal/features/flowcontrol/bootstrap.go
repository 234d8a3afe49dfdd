package flowcontrol

import (
	"context"
	"fmt"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/features/internal/ensure"
	"github.com/typeplane/typeplane/registry/rest"
)

// bootstrap makes the objects that every server has, and keeps their specs. An operator may change
// those that are only suggested, by the annotation apf.kubernetes.io/autoupdate-spec: "false".
func bootstrap(ctx context.Context, schemas, levels *rest.Resource) error {
	for _, part := range []struct {
		config    fairness.Config
		mandatory bool
	}{{fairness.Mandatory(), true}, {fairness.Suggested(), false}} {
		wantSchemas, wantLevels := Objects(part.config)
		for _, want := range wantLevels {
			if err := keep(ctx, levels, want, part.mandatory, copyLevel); err != nil {
				return fmt.Errorf("priority level %q: %w", want.Name, err)
			}
		}
		for _, want := range wantSchemas {
			if err := keep(ctx, schemas, want, part.mandatory, copySchema); err != nil {
				return fmt.Errorf("flow schema %q: %w", want.Name, err)
			}
		}
	}
	return nil
}

func copySchema(to, from *flowcontrolv1.FlowSchema) { to.Spec = from.Spec }

// copyLevel leaves the share of the exempt level to the operator.
func copyLevel(to, from *flowcontrolv1.PriorityLevelConfiguration) {
	share := to.Spec.Exempt
	to.Spec = from.Spec
	if to.Spec.Exempt != nil && share != nil {
		to.Spec.Exempt = share
	}
}

// keep makes an object if it is missing. Else its spec becomes the wanted one, where it is not the
// operator's, and its annotation says whose it is.
func keep[T any, P ensure.Pointer[T]](ctx context.Context, r *rest.Resource, want P, mandatory bool, copySpec func(to, from P)) error {
	return ensure.Object(ctx, r, want, func(have P) error {
		ours := mandatory || isKept(have)
		if ours {
			copySpec(have, want.DeepCopyObject().(P))
		}
		annotate(have, ours)
		return nil
	})
}

// isKept says whether the server keeps the spec. Where the annotation does not say, it does unless
// somebody has changed the spec.
func isKept(have metav1.Object) bool {
	if kept, err := strconv.ParseBool(have.GetAnnotations()[flowcontrolv1.AutoUpdateAnnotationKey]); err == nil {
		return kept
	}
	return have.GetGeneration() == 1
}

// annotate says whose the spec is.
func annotate(o metav1.Object, kept bool) {
	annotations := o.GetAnnotations()
	if said, err := strconv.ParseBool(annotations[flowcontrolv1.AutoUpdateAnnotationKey]); err == nil && said == kept {
		return
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[flowcontrolv1.AutoUpdateAnnotationKey] = strconv.FormatBool(kept)
	o.SetAnnotations(annotations)
}
