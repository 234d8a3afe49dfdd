package serve

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/delegated"
)

// clustersLifecycle returns the plug-in NamespaceLifecycle of a server whose namespaces are those
// of a cluster. The cluster empties a namespace that is on its way out once, and does not look
// again.
func clustersLifecycle(namespaces *delegated.Namespaces) admission.Plugin {
	return admission.Plugin{
		Wants: func(r *admission.Request) bool { return r.Operation == admission.Create && r.Namespace != "" },
		Mutate: func(ctx context.Context, r *admission.Request) error {
			switch terminating, err := namespaces.Terminating(ctx, r.Namespace); {
			case apierrors.IsNotFound(err) || ctx.Err() != nil:
				return err
			case err != nil:
				return apierrors.NewInternalError(err)
			case terminating:
				return admission.TooLate(r)
			}
			return nil
		},
	}
}
