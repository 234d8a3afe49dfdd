package storageclass

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/typeplane/typeplane/admission"
)

// PluginName is what flags call the plug-in.
const PluginName = "DefaultStorageClass"

// The annotations that mark a class as the default. The second one is older.
var marks = []string{"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}

// Config is what the plug-in needs.
type Config struct {
	// StorageClasses returns all that there are. What it returns is the plug-in's.
	StorageClasses func(ctx context.Context) ([]storagev1.StorageClass, error)
}

// New returns the plug-in DefaultStorageClass: a new claim that names no storage class gets the
// default one, which the annotation storageclass.kubernetes.io/is-default-class marks. If there are
// several, the newest counts. If there is none, the claim stays as it is.
func New(config Config) admission.Plugin {
	return admission.Plugin{
		Name: PluginName,
		Wants: func(r *admission.Request) bool {
			return r.Operation == admission.Create && r.Resource.Group == "" && r.Resource.Resource == "persistentvolumeclaims" && r.Subresource == ""
		},
		Mutate: func(ctx context.Context, r *admission.Request) error {
			claim, ok := r.Object.(*corev1.PersistentVolumeClaim)
			if !ok || hasClass(claim) {
				return nil
			}
			classes, err := config.StorageClasses(ctx)
			if err != nil {
				return err
			}
			if name := standard(classes); name != "" {
				claim.Spec.StorageClassName = &name
			}
			return nil
		},
	}
}

// hasClass says whether a claim names a class; "" is one, too: it asks for a volume without a
// class.
func hasClass(claim *corev1.PersistentVolumeClaim) bool {
	_, annotated := claim.Annotations[corev1.BetaStorageClassAnnotation]
	return annotated || claim.Spec.StorageClassName != nil
}

// standard is the name of the default class, "" if there is none. If some were made in the same
// second, the first by name counts.
func standard(classes []storagev1.StorageClass) string {
	classes = slices.DeleteFunc(classes, func(class storagev1.StorageClass) bool {
		return !slices.ContainsFunc(marks, func(mark string) bool { return class.Annotations[mark] == "true" })
	})
	if len(classes) == 0 {
		return ""
	}
	return slices.MinFunc(classes, func(a, b storagev1.StorageClass) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	}).Name
}
