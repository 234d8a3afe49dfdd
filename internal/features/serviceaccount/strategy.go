package serviceaccount

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceAccountStrategy holds the columns of service accounts, and what is not to be trusted in
// them.
type ServiceAccountStrategy struct{}

// PrepareForCreate keeps the names of secrets. They are of the account's namespace, so the rest of
// a reference says nothing.
func (ServiceAccountStrategy) PrepareForCreate(_ context.Context, account *corev1.ServiceAccount) {
	for i := range account.Secrets {
		account.Secrets[i] = corev1.ObjectReference{Name: account.Secrets[i].Name}
	}
}

// PrepareForUpdate does so again.
func (s ServiceAccountStrategy) PrepareForUpdate(ctx context.Context, account, _ *corev1.ServiceAccount) {
	s.PrepareForCreate(ctx, account)
}

// separated is the annotation that was to keep the secrets of pods of a namespace apart.
const separated = "kubernetes.io/enforce-mountable-secrets"

// WarningsOnCreate: pods of a namespace can't be kept apart.
func (ServiceAccountStrategy) WarningsOnCreate(_ context.Context, account *corev1.ServiceAccount) []string {
	if _, ok := account.Annotations[separated]; !ok {
		return nil
	}
	return []string{"metadata.annotations[" + separated + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"}
}

// WarningsOnUpdate are the same where the annotation is new.
func (s ServiceAccountStrategy) WarningsOnUpdate(ctx context.Context, account, old *corev1.ServiceAccount) []string {
	if _, ok := old.Annotations[separated]; ok {
		return nil
	}
	return s.WarningsOnCreate(ctx, account)
}

// HasGeneration: Kubernetes does not count their changes.
func (ServiceAccountStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of service accounts.
func (ServiceAccountStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Age", Type: "date", Description: "The time since the service account was created."},
	}
}

// Cells fills the columns for one service account.
func (ServiceAccountStrategy) Cells(account *corev1.ServiceAccount) []any {
	return []any{account.CreationTimestamp}
}
