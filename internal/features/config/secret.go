package config

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// SecretStrategy holds the rules of secrets, and their columns.
type SecretStrategy struct{}

// Validate says what is wrong with a secret: its keys, its size, and what its type promises.
func (SecretStrategy) Validate(_ context.Context, secret *corev1.Secret) field.ErrorList {
	data := field.NewPath("data")
	var errs field.ErrorList
	size := 0
	for key, value := range rest.WhileFew(&errs, maps.All(secret.Data)) {
		errs = append(errs, validateKey(data, key)...)
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(data, "", corev1.MaxSecretSize))
	}
	return append(errs, validateSecretType(secret)...)
}

// validateKey: a key becomes the name of a file.
func validateKey(path *field.Path, key string) (errs field.ErrorList) {
	for _, message := range validation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path.Key(key), key, message))
	}
	return errs
}

// validateSecretType says what is missing or broken of what users of such a secret count on.
func validateSecretType(secret *corev1.Secret) (errs field.ErrorList) {
	data := field.NewPath("data")
	need := func(keys ...string) {
		for _, key := range keys {
			if _, ok := secret.Data[key]; !ok {
				errs = append(errs, field.Required(data.Key(key), ""))
			}
		}
	}
	switch secret.Type {
	case corev1.SecretTypeServiceAccountToken:
		if secret.Annotations[corev1.ServiceAccountNameKey] == "" {
			errs = append(errs, field.Required(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey), ""))
		}
	case corev1.SecretTypeDockercfg:
		need(corev1.DockerConfigKey)
		errs = append(errs, validateJSON(data, secret, corev1.DockerConfigKey)...)
	case corev1.SecretTypeDockerConfigJson:
		need(corev1.DockerConfigJsonKey)
		errs = append(errs, validateJSON(data, secret, corev1.DockerConfigJsonKey)...)
	case corev1.SecretTypeBasicAuth:
		_, user := secret.Data[corev1.BasicAuthUsernameKey]
		_, password := secret.Data[corev1.BasicAuthPasswordKey]
		if !user && !password {
			need(corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		}
	case corev1.SecretTypeSSHAuth:
		if len(secret.Data[corev1.SSHAuthPrivateKey]) == 0 {
			errs = append(errs, field.Required(data.Key(corev1.SSHAuthPrivateKey), ""))
		}
	case corev1.SecretTypeTLS:
		need(corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	return errs
}

// validateJSON never shows the value: it is a secret.
func validateJSON(path *field.Path, secret *corev1.Secret, key string) field.ErrorList {
	if value, ok := secret.Data[key]; ok && !json.Valid(value) {
		return field.ErrorList{field.Invalid(path.Key(key), "<secret contents redacted>", "must be JSON")}
	}
	return nil
}

// ValidateUpdate says what is wrong with a changed secret.
func (s SecretStrategy) ValidateUpdate(ctx context.Context, secret, old *corev1.Secret) field.ErrorList {
	errs := s.Validate(ctx, secret)
	if secret.Type != old.Type {
		errs = append(errs, field.Invalid(field.NewPath("type"), secret.Type, "field is immutable"))
	}
	if !isTrue(old.Immutable) {
		return errs
	}
	if !isTrue(secret.Immutable) {
		errs = append(errs, immutable("immutable"))
	}
	if !maps.EqualFunc(secret.Data, old.Data, bytes.Equal) {
		errs = append(errs, immutable("data"))
	}
	return errs
}

func isTrue(b *bool) bool { return b != nil && *b }

func immutable(name string) *field.Error {
	return field.Forbidden(field.NewPath(name), "field is immutable when `immutable` is set")
}

// PrepareForUpdate keeps the type where a client says nothing of it; its default is not what it
// meant.
func (SecretStrategy) PrepareForUpdate(_ context.Context, secret, old *corev1.Secret) {
	if secret.Type == "" {
		secret.Type = old.Type
	}
}

// longestKey is how long a key is that is looked at. The time for that grows with its square, and a
// secret may be a megabyte.
const longestKey = 16 << 10

// WarningsOnCreate: a key and a certificate may not belong together, which nobody notices before
// they are used.
func (SecretStrategy) WarningsOnCreate(_ context.Context, secret *corev1.Secret) []string {
	key := secret.Data[corev1.TLSPrivateKeyKey]
	if secret.Type != corev1.SecretTypeTLS || len(key) > longestKey {
		return nil
	}
	if _, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], key); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// WarningsOnUpdate are the same.
func (s SecretStrategy) WarningsOnUpdate(ctx context.Context, secret, _ *corev1.Secret) []string {
	return s.WarningsOnCreate(ctx, secret)
}

// HasGeneration: Kubernetes does not count their changes.
func (SecretStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of secrets.
func (SecretStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Type", Type: "string", Description: "What the secret is for."},
		{Name: "Data", Type: "string", Description: "How many keys it has."},
		{Name: "Age", Type: "date", Description: "The time since the secret was created."},
	}
}

// Cells fills the columns for one secret.
func (SecretStrategy) Cells(secret *corev1.Secret) []any {
	return []any{string(secret.Type), fmt.Sprint(len(secret.Data)), secret.CreationTimestamp}
}
