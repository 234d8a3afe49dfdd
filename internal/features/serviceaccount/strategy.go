package serviceaccount

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceAccountStrategy holds the columns of service accounts, and what is not to be trusted in
// them.
type ServiceAccountStrategy struct{}

// PrepareForCreate forgets secrets that a client names: they are for those of the server, which
// makes none.
func (ServiceAccountStrategy) PrepareForCreate(_ context.Context, account *corev1.ServiceAccount) {
	account.Secrets = nil
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
