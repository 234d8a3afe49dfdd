package quota

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/internal/quantity"
	"github.com/typeplane/typeplane/registry/rest"
)

// ResourceQuotaStrategy holds the rules of quotas, and their columns. To charge them is up to
// admission.
type ResourceQuotaStrategy struct{}

// StatusMetadata: a write of the status writes labels and annotations, too, as in Kubernetes.
func (ResourceQuotaStrategy) StatusMetadata() bool { return true }

// Validate says what is wrong with a quota.
func (ResourceQuotaStrategy) Validate(_ context.Context, quota *corev1.ResourceQuota) field.ErrorList {
	spec := field.NewPath("spec")
	errs := validateQuantities(spec.Child("hard"), quota.Spec.Hard)
	errs = append(errs, validateScopes(&quota.Spec, spec.Child("scopes"))...)
	return append(errs, validateScopeSelector(&quota.Spec, spec.Child("scopeSelector", "matchExpressions"))...)
}

// ValidateUpdate says what is wrong with a changed quota. What it has counted so far would mean
// nothing in other scopes.
func (s ResourceQuotaStrategy) ValidateUpdate(ctx context.Context, quota, old *corev1.ResourceQuota) field.ErrorList {
	errs := s.Validate(ctx, quota)
	if !slices.Equal(scopeSet(quota), scopeSet(old)) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "scopes"), quota.Spec.Scopes, "field is immutable"))
	}
	return errs
}

func scopeSet(quota *corev1.ResourceQuota) []corev1.ResourceQuotaScope {
	return slices.Compact(slices.Sorted(slices.Values(quota.Spec.Scopes)))
}

// ValidateStatusUpdate says what is wrong with what was counted.
func (ResourceQuotaStrategy) ValidateStatusUpdate(_ context.Context, quota, _ *corev1.ResourceQuota) field.ErrorList {
	status := field.NewPath("status")
	return append(validateQuantities(status.Child("hard"), quota.Status.Hard), validateQuantities(status.Child("used"), quota.Status.Used)...)
}

// What pods and claims are limited in.
var (
	podObjects     = []corev1.ResourceName{corev1.ResourcePods}
	podResources   = slices.Concat(podObjects, quantity.PodCompute())
	claimResources = []corev1.ResourceName{corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage}
)

// scopeResources says what is limited by a quota with a scope. A scope that is not there is
// unknown.
var scopeResources = map[corev1.ResourceQuotaScope][]corev1.ResourceName{
	corev1.ResourceQuotaScopeTerminating:               podResources,
	corev1.ResourceQuotaScopeNotTerminating:            podResources,
	corev1.ResourceQuotaScopeBestEffort:                podObjects,
	corev1.ResourceQuotaScopeNotBestEffort:             podResources,
	corev1.ResourceQuotaScopePriorityClass:             podResources,
	corev1.ResourceQuotaScopeCrossNamespacePodAffinity: podResources,
	corev1.ResourceQuotaScopeVolumeAttributesClass:     claimResources,
}

// notInScopes says of how many of the resources that a quota limits each scope knows nothing. It
// counts no more of them than can be told.
func notInScopes(spec *corev1.ResourceQuotaSpec) map[corev1.ResourceQuotaScope]int {
	n := map[corev1.ResourceQuotaScope]int{}
	for scope, within := range scopeResources {
		for name := range spec.Hard {
			if n[scope] < rest.MaxViolations && quantity.LimitedByQuota(name) && !slices.Contains(within, name) {
				n[scope]++
			}
		}
	}
	return n
}

// contradictory says whether nothing can be in all of the scopes.
func contradictory(scopes []corev1.ResourceQuotaScope) bool {
	both := func(a, b corev1.ResourceQuotaScope) bool {
		return slices.Contains(scopes, a) && slices.Contains(scopes, b)
	}
	return both(corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort) ||
		both(corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating)
}

func validateScopes(spec *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	unlimited := notInScopes(spec)
	for _, scope := range rest.WhileFew(&errs, slices.All(spec.Scopes)) {
		if _, known := scopeResources[scope]; !known {
			errs = append(errs, field.Invalid(path, spec.Scopes, "unsupported scope"))
		}
		for range unlimited[scope] {
			errs = append(errs, field.Invalid(path, spec.Scopes, "unsupported scope applied to resource"))
		}
	}
	if contradictory(spec.Scopes) {
		errs = append(errs, field.Invalid(path, spec.Scopes, "conflicting scopes"))
	}
	return errs
}

func validateScopeSelector(spec *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	if spec.ScopeSelector == nil {
		return nil
	}
	var errs field.ErrorList
	var scopes []corev1.ResourceQuotaScope
	unlimited := notInScopes(spec)
	for _, r := range rest.WhileFew(&errs, slices.All(spec.ScopeSelector.MatchExpressions)) {
		if _, known := scopeResources[r.ScopeName]; !known {
			errs = append(errs, field.Invalid(path.Child("scopeName"), r.ScopeName, "unsupported scope"))
		}
		for range unlimited[r.ScopeName] {
			errs = append(errs, field.Invalid(path, spec.ScopeSelector, "unsupported scope applied to resource"))
		}
		errs = append(errs, validateScopeOperator(&r, path)...)
		scopes = append(scopes, r.ScopeName)
	}
	if contradictory(scopes) {
		errs = append(errs, field.Invalid(path, spec.Scopes, "conflicting scopes"))
	}
	return errs
}

// validateScopeOperator: only classes have values to be in.
func validateScopeOperator(r *corev1.ScopedResourceSelectorRequirement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	withValues := r.ScopeName == corev1.ResourceQuotaScopePriorityClass || r.ScopeName == corev1.ResourceQuotaScopeVolumeAttributesClass
	if _, known := scopeResources[r.ScopeName]; known && !withValues && r.Operator != corev1.ScopeSelectorOpExists {
		errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, "+
			"ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
	}
	switch r.Operator {
	case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
		if len(r.Values) == 0 {
			errs = append(errs, field.Required(path.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
		}
	case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			errs = append(errs, field.Invalid(path.Child("values"), r.Values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
		}
	default:
		errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	return errs
}

// limitedTwice are what pods may ask for, and what their limits may be.
var limitedTwice = []struct{ asked, bare, limit corev1.ResourceName }{
	{corev1.ResourceRequestsCPU, corev1.ResourceCPU, corev1.ResourceLimitsCPU},
	{corev1.ResourceRequestsMemory, corev1.ResourceMemory, corev1.ResourceLimitsMemory},
	{corev1.ResourceRequestsStorage, "", "limits.storage"},
	{corev1.ResourceRequestsEphemeralStorage, "", corev1.ResourceLimitsEphemeralStorage},
}

// WarningsOnCreate: limits are never less than what is asked for, so a quota with less of them
// can't be used up.
func (ResourceQuotaStrategy) WarningsOnCreate(_ context.Context, quota *corev1.ResourceQuota) []string {
	var w strategy.Warnings
	for _, twice := range limitedTwice {
		name := twice.asked
		asked, ok := quota.Spec.Hard[name]
		if !ok {
			name = twice.bare
			asked, ok = quota.Spec.Hard[name]
		}
		limit, limited := quota.Spec.Hard[twice.limit]
		if ok && limited && asked.Cmp(limit) > 0 {
			w.Add("ResourceQuota %s (%s) should be less than %s (%s)", name, asked.String(), twice.limit, limit.String())
		}
	}
	return w.Texts()
}

// HasGeneration: Kubernetes does not count their changes.
func (ResourceQuotaStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of quotas.
func (ResourceQuotaStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Request", Type: "string", Description: "What is used of what may be asked for."},
		{Name: "Limit", Type: "string", Description: "What is used of what may be the limits of containers."},
		{Name: "Age", Type: "date", Description: "The time since the quota was created."},
	}
}

// Cells fills the columns for one quota.
func (ResourceQuotaStrategy) Cells(quota *corev1.ResourceQuota) []any {
	var requests, limits []string
	for _, name := range quantity.SortedNames(quota.Status.Hard) {
		used, hard := quota.Status.Used[name], quota.Status.Hard[name]
		cell := fmt.Sprintf("%s: %s/%s", name, &used, &hard)
		if strings.HasPrefix(string(name), "limits.") {
			limits = append(limits, cell)
		} else {
			requests = append(requests, cell)
		}
	}
	return []any{strings.Join(requests, ", "), strings.Join(limits, ", "), quota.CreationTimestamp}
}

// validateQuantities judges what a quota says of resources: their names, and how much of them.
func validateQuantities(path *field.Path, list corev1.ResourceList) field.ErrorList {
	var errs field.ErrorList
	for _, name := range rest.WhileFew(&errs, slices.All(quantity.SortedNames(list))) {
		at, q := path.Key(string(name)), list[name]
		errs = append(errs, quantity.ValidateName(at, name)...)
		if !strings.Contains(string(name), "/") && !quantity.LimitedByQuota(name) {
			errs = append(errs, field.Invalid(at, name, "must be a standard resource for quota"))
		}
		if q.Sign() < 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
		}
		if quantity.Whole(name) && !isWhole(q) {
			errs = append(errs, field.Invalid(at, q.String(), "must be an integer"))
		}
	}
	return errs
}

// isWhole says whether a quantity is a whole number.
func isWhole(q resource.Quantity) bool {
	whole := q.DeepCopy()
	return whole.RoundUp(0) // which says whether nothing was lost
}
