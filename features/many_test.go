package features_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/typeplane/typeplane/internal/features/config"
	"github.com/typeplane/typeplane/internal/features/limitrange"
	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/registry/rest"
)

// However much is wrong with what was sent, not much more is found than an answer lists.
func TestManyViolations(t *testing.T) {
	const many = 10 * rest.MaxViolations
	quotas, limits, data := corev1.ResourceQuota{}, corev1.LimitRange{}, map[string]string{}
	hard := corev1.ResourceList{}
	for i := range many {
		hard[corev1.ResourceName(fmt.Sprintf("hugepages-%dMi", i))] = resource.MustParse("-1")
		data[fmt.Sprint("a b", i)] = ""
		quotas.Spec.Scopes = append(quotas.Spec.Scopes, corev1.ResourceQuotaScopeBestEffort)
		limits.Spec.Limits = append(limits.Spec.Limits, corev1.LimitRangeItem{Max: hard})
	}
	quotas.Spec.Hard = hard
	secret := map[string][]byte{}
	for key := range data {
		secret[key] = nil
	}
	for kind, found := range map[string]int{
		"ResourceQuota": len(quota.ResourceQuotaStrategy{}.Validate(t.Context(), &quotas)),
		"LimitRange":    len(limitrange.LimitRangeStrategy{}.Validate(t.Context(), &limits)),
		"ConfigMap":     len(config.ConfigMapStrategy{}.Validate(t.Context(), &corev1.ConfigMap{Data: data})),
		"Secret":        len(config.SecretStrategy{}.Validate(t.Context(), &corev1.Secret{Data: secret})),
	} {
		if found < rest.MaxViolations || found > 5*rest.MaxViolations {
			t.Errorf("%s: %d violations", kind, found)
		}
	}
}
