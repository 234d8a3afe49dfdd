package config

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// ConfigMapStrategy holds the rules of config maps, and their columns.
type ConfigMapStrategy struct{}

// Validate says what is wrong with the keys of a config map, and with its size.
func (ConfigMapStrategy) Validate(_ context.Context, cm *corev1.ConfigMap) field.ErrorList {
	data, binary := field.NewPath("data"), field.NewPath("binaryData")
	var errs field.ErrorList
	size := 0
	for key, value := range rest.WhileFew(&errs, maps.All(cm.Data)) {
		errs = append(errs, validateKey(data, key)...)
		size += len(value)
		if _, both := cm.BinaryData[key]; both {
			errs = append(errs, field.Invalid(data.Key(key), key, "duplicate of key present in binaryData"))
		}
	}
	for key, value := range rest.WhileFew(&errs, maps.All(cm.BinaryData)) {
		errs = append(errs, validateKey(binary, key)...)
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize)) // Kubernetes has the same limit for both
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed config map.
func (s ConfigMapStrategy) ValidateUpdate(ctx context.Context, cm, old *corev1.ConfigMap) field.ErrorList {
	errs := s.Validate(ctx, cm)
	if !isTrue(old.Immutable) {
		return errs
	}
	if !isTrue(cm.Immutable) {
		errs = append(errs, immutable("immutable"))
	}
	if !maps.Equal(cm.Data, old.Data) {
		errs = append(errs, immutable("data"))
	}
	if !maps.EqualFunc(cm.BinaryData, old.BinaryData, bytes.Equal) {
		errs = append(errs, immutable("binaryData"))
	}
	return errs
}

// HasGeneration: Kubernetes does not count their changes.
func (ConfigMapStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of config maps.
func (ConfigMapStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Data", Type: "string", Description: "How many keys it has."},
		{Name: "Age", Type: "date", Description: "The time since the config map was created."},
	}
}

// Cells fills the columns for one config map.
func (ConfigMapStrategy) Cells(cm *corev1.ConfigMap) []any {
	return []any{fmt.Sprint(len(cm.Data) + len(cm.BinaryData)), cm.CreationTimestamp}
}
