package storageclass

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
)

// StorageClassStrategy holds the rules of storage classes, and their columns.
type StorageClassStrategy struct{}

// The parameters of a class are for its provisioner; only how many they are is anybody else's
// business.
const (
	maxParameters     = 512
	maxParametersSize = 256 << 10
)

// Validate says what is wrong with a storage class. That there is a provisioner, and what may not
// change, the tags of the type say.
func (StorageClassStrategy) Validate(_ context.Context, class *storagev1.StorageClass) field.ErrorList {
	var errs field.ErrorList
	if class.Provisioner != "" {
		errs = validateProvisioner(class.Provisioner, field.NewPath("provisioner"))
	}
	errs = append(errs, validateParameters(class.Parameters, field.NewPath("parameters"))...)
	if p := class.ReclaimPolicy; p != nil && *p != "" {
		errs = append(errs, oneOf(field.NewPath("reclaimPolicy"), *p, corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain)...)
	}
	if m := class.VolumeBindingMode; m != nil {
		errs = append(errs, oneOf(field.NewPath("volumeBindingMode"), *m, storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer)...)
	}
	return append(errs, validateTopologies(class.AllowedTopologies, field.NewPath("allowedTopologies"))...)
}

func validateProvisioner(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, message := range utilvalidation.IsQualifiedName(strings.ToLower(name)) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	return errs
}

func validateParameters(parameters map[string]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(parameters) > maxParameters {
		errs = append(errs, field.TooLong(path, "", maxParameters))
	}
	size := 0
	for name, value := range parameters {
		if name == "" {
			errs = append(errs, field.Invalid(path, name, "field can not be empty."))
		}
		size += len(name) + len(value)
	}
	if size > maxParametersSize {
		errs = append(errs, field.TooLong(path, "", maxParametersSize))
	}
	return errs
}

// validateTopologies judges where volumes may be: one of these terms, each of them a place that the
// others don't say.
func validateTopologies(terms []corev1.TopologySelectorTerm, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, term := range rest.WhileFew(&errs, slices.All(terms)) {
		place := map[string][]string{}
		expressions := path.Index(i).Child("matchLabelExpressions")
		for j, r := range rest.WhileFew(&errs, slices.All(term.MatchLabelExpressions)) {
			at := expressions.Index(j)
			errs = append(errs, metav1validation.ValidateLabelName(r.Key, at.Child("key"))...)
			if len(r.Values) == 0 {
				errs = append(errs, field.Required(at.Child("values"), ""))
			}
			values := map[string]bool{}
			for k, value := range rest.WhileFew(&errs, slices.All(r.Values)) {
				if values[value] {
					errs = append(errs, field.Duplicate(at.Child("values").Index(k), value))
				}
				values[value] = true
			}
			if _, ok := place[r.Key]; ok {
				errs = append(errs, field.Duplicate(at.Child("key"), r.Key))
			}
			place[r.Key] = slices.Sorted(slices.Values(r.Values))
		}
		name := fmt.Sprintf("%q", place) // sorted by key
		if seen[name] {
			errs = append(errs, field.Duplicate(expressions, ""))
		}
		seen[name] = true
	}
	return errs
}

func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, known)}
}

// WarningsOnCreate say what is odd about where volumes may be.
func (StorageClassStrategy) WarningsOnCreate(_ context.Context, class *storagev1.StorageClass) []string {
	var w strategy.Warnings
	for i := range class.AllowedTopologies {
		for j := range class.AllowedTopologies[i].MatchLabelExpressions {
			if instead := strategy.OldNodeLabel(class.AllowedTopologies[i].MatchLabelExpressions[j].Key); instead != "" {
				w.Add("allowedTopologies[%d].matchLabelExpressions[%d].key: %s", i, j, instead)
			}
		}
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s StorageClassStrategy) WarningsOnUpdate(ctx context.Context, class, _ *storagev1.StorageClass) []string {
	return s.WarningsOnCreate(ctx, class)
}

// HasGeneration: Kubernetes does not count their changes.
func (StorageClassStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of storage classes.
func (StorageClassStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: "The name of the class, and whether claims get it that name none."},
		{Name: "Provisioner", Type: "string", Description: "Who makes the volumes."},
		{Name: "ReclaimPolicy", Type: "string", Description: "What becomes of a volume that nobody claims any more."},
		{Name: "VolumeBindingMode", Type: "string", Description: "When a claim gets its volume."},
		{Name: "AllowVolumeExpansion", Type: "string", Description: "Whether a claim may grow."},
		{Name: "Age", Type: "date", Description: "The time since the class was created."},
	}
}

// Cells fills the columns for one storage class.
func (StorageClassStrategy) Cells(class *storagev1.StorageClass) []any {
	name := class.Name
	if isDefault(class) {
		name += " (default)"
	}
	policy, mode, grows := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingImmediate, false
	if class.ReclaimPolicy != nil {
		policy = *class.ReclaimPolicy
	}
	if class.VolumeBindingMode != nil {
		mode = *class.VolumeBindingMode
	}
	if class.AllowVolumeExpansion != nil {
		grows = *class.AllowVolumeExpansion
	}
	return []any{name, class.Provisioner, string(policy), string(mode), grows, class.CreationTimestamp}
}

// isDefault says whether claims that name no class get this one. The second annotation is an older
// one, which still counts.
func isDefault(class *storagev1.StorageClass) bool {
	for _, annotation := range []string{"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"} {
		if class.Annotations[annotation] == "true" {
			return true
		}
	}
	return false
}
