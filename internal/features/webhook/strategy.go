package webhook

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
)

// ValidatingWebhookConfigurationStrategy holds the rules of such configurations, and their columns.
type ValidatingWebhookConfigurationStrategy struct{}

// Validate says what is wrong with the webhooks.
func (ValidatingWebhookConfigurationStrategy) Validate(_ context.Context, c *admissionregistrationv1.ValidatingWebhookConfiguration) field.ErrorList {
	hooks := make([]webhook, len(c.Webhooks))
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		hooks[i] = webhook{
			name: w.Name, client: &w.ClientConfig, rules: w.Rules, failure: w.FailurePolicy, match: w.MatchPolicy, sideEffects: w.SideEffects,
			timeout: w.TimeoutSeconds, namespaces: w.NamespaceSelector, objects: w.ObjectSelector, versions: w.AdmissionReviewVersions, conditions: w.MatchConditions,
		}
	}
	return validateWebhooks(hooks)
}

// WarningsOnCreate: nobody is asked about reviews.
func (ValidatingWebhookConfigurationStrategy) WarningsOnCreate(_ context.Context, c *admissionregistrationv1.ValidatingWebhookConfiguration) []string {
	var w strategy.Warnings
	for i := range c.Webhooks {
		warnOfReviews(&w, i, c.Webhooks[i].Rules)
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s ValidatingWebhookConfigurationStrategy) WarningsOnUpdate(ctx context.Context, c, _ *admissionregistrationv1.ValidatingWebhookConfiguration) []string {
	return s.WarningsOnCreate(ctx, c)
}

// Columns are what kubectl get shows of them.
func (ValidatingWebhookConfigurationStrategy) Columns() []metav1.TableColumnDefinition {
	return columns()
}

// Cells fills the columns for one configuration.
func (ValidatingWebhookConfigurationStrategy) Cells(c *admissionregistrationv1.ValidatingWebhookConfiguration) []any {
	return []any{int64(len(c.Webhooks)), c.CreationTimestamp}
}

// MutatingWebhookConfigurationStrategy holds the rules of such configurations, and their columns.
type MutatingWebhookConfigurationStrategy struct{}

// Validate says what is wrong with the webhooks.
func (MutatingWebhookConfigurationStrategy) Validate(_ context.Context, c *admissionregistrationv1.MutatingWebhookConfiguration) field.ErrorList {
	hooks := make([]webhook, len(c.Webhooks))
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		hooks[i] = webhook{
			name: w.Name, client: &w.ClientConfig, rules: w.Rules, failure: w.FailurePolicy, match: w.MatchPolicy, sideEffects: w.SideEffects,
			timeout: w.TimeoutSeconds, namespaces: w.NamespaceSelector, objects: w.ObjectSelector, versions: w.AdmissionReviewVersions, conditions: w.MatchConditions,
			reinvocation: w.ReinvocationPolicy,
		}
	}
	return validateWebhooks(hooks)
}

// WarningsOnCreate: nobody is asked about reviews.
func (MutatingWebhookConfigurationStrategy) WarningsOnCreate(_ context.Context, c *admissionregistrationv1.MutatingWebhookConfiguration) []string {
	var w strategy.Warnings
	for i := range c.Webhooks {
		warnOfReviews(&w, i, c.Webhooks[i].Rules)
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s MutatingWebhookConfigurationStrategy) WarningsOnUpdate(ctx context.Context, c, _ *admissionregistrationv1.MutatingWebhookConfiguration) []string {
	return s.WarningsOnCreate(ctx, c)
}

// Columns are what kubectl get shows of them.
func (MutatingWebhookConfigurationStrategy) Columns() []metav1.TableColumnDefinition {
	return columns()
}

// Cells fills the columns for one configuration.
func (MutatingWebhookConfigurationStrategy) Cells(c *admissionregistrationv1.MutatingWebhookConfiguration) []any {
	return []any{int64(len(c.Webhooks)), c.CreationTimestamp}
}

func columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Webhooks", Type: "integer", Description: "How many webhooks it names."},
		{Name: "Age", Type: "date", Description: "The time since the configuration was created."},
	}
}
