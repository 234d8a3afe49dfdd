package credential

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/features/credential/v1alpha1"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// CredentialStrategy holds the rules of records: what a credential is does not change, and what is
// revoked stays so.
type CredentialStrategy struct{}

// Validate says what is wrong with a record.
func (CredentialStrategy) Validate(_ context.Context, record *v1alpha1.Credential) field.ErrorList {
	var errs field.ErrorList
	spec, path := &record.Spec, field.NewPath("spec")
	if spec.ID == "" {
		errs = append(errs, field.Required(path.Child("id"), "the authentication.kubernetes.io/credential-id, like X509SHA256=…"))
	}
	if spec.Username == "" {
		errs = append(errs, field.Required(path.Child("username"), "whom the credential names"))
	}
	if spec.NotAfter.IsZero() {
		errs = append(errs, field.Required(path.Child("notAfter"), "when the credential ends"))
	}
	return errs
}

// ValidateUpdate lets nothing change but that a record is revoked.
func (CredentialStrategy) ValidateUpdate(_ context.Context, record, old *v1alpha1.Credential) field.ErrorList {
	path := field.NewPath("spec")
	if old.Spec.Revoked && !record.Spec.Revoked {
		return field.ErrorList{field.Forbidden(path.Child("revoked"), "what is revoked stays so: give out another credential")}
	}
	same := record.Spec
	same.Revoked = old.Spec.Revoked
	if !semantic.Equal(same, old.Spec) {
		return field.ErrorList{field.Forbidden(path, "only revoked can change")}
	}
	return nil
}

// PrepareForDelete revokes what is deleted.
func (CredentialStrategy) PrepareForDelete(record *v1alpha1.Credential) { record.Spec.Revoked = true }

// Held: a record stays for as long as its credential would be good.
func (CredentialStrategy) Held(record *v1alpha1.Credential) bool { return !over(record, time.Now()) }

// over says that a credential has ended by itself.
func over(record *v1alpha1.Credential, now time.Time) bool {
	return now.After(record.Spec.NotAfter.Time)
}
