package limitrange

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/quantity"
	"github.com/typeplane/typeplane/registry/rest"
)

// LimitRangeStrategy holds the rules of limit ranges, and their columns. What they ask of others is
// up to admission.
type LimitRangeStrategy struct{}

// Validate says what is wrong with a limit range: names, and limits that nothing could keep.
func (LimitRangeStrategy) Validate(_ context.Context, limits *corev1.LimitRange) field.ErrorList {
	var errs field.ErrorList
	types := map[corev1.LimitType]bool{}
	for i := range rest.WhileFew(&errs, slices.All(limits.Spec.Limits)) {
		item, path := &limits.Spec.Limits[i], field.NewPath("spec", "limits").Index(i)
		errs = append(errs, validateLimitType(path.Child("type"), item.Type)...)
		if types[item.Type] {
			errs = append(errs, field.Duplicate(path.Child("type"), item.Type))
		}
		types[item.Type] = true
		errs = append(errs, validateLimitNames(path, item)...)
		for _, name := range rest.WhileFew(&errs, slices.All(quantity.SortedNames(item.Min, item.Max, item.Default, item.DefaultRequest, item.MaxLimitRequestRatio))) {
			errs = append(errs, validateLimit(path, item, name)...)
		}
	}
	return errs
}

func validateLimitType(path *field.Path, of corev1.LimitType) field.ErrorList {
	var errs field.ErrorList
	for _, message := range utilvalidation.IsQualifiedName(string(of)) {
		errs = append(errs, field.Invalid(path, of, message))
	}
	known := []corev1.LimitType{corev1.LimitTypePod, corev1.LimitTypeContainer, corev1.LimitTypePersistentVolumeClaim}
	if len(errs) == 0 && !strings.Contains(string(of), "/") && !slices.Contains(known, of) {
		errs = append(errs, field.Invalid(path, of, "must be a standard limit type or fully qualified"))
	}
	return errs
}

// validateLimitNames judges which resources an item names, and where.
func validateLimitNames(path *field.Path, item *corev1.LimitRangeItem) field.ErrorList {
	var errs field.ErrorList
	pod := item.Type == corev1.LimitTypePod
	judge := quantity.ValidateName
	if pod || item.Type == corev1.LimitTypeContainer {
		judge = quantity.ValidateContainerName
	}
	for _, list := range []struct {
		name     string
		of       corev1.ResourceList
		notOfPod bool
	}{
		{"max", item.Max, false}, {"min", item.Min, false}, {"default", item.Default, true}, {"defaultRequest", item.DefaultRequest, true},
		{"maxLimitRequestRatio", item.MaxLimitRequestRatio, false},
	} {
		if pod && list.notOfPod {
			if len(list.of) > 0 {
				errs = append(errs, field.Forbidden(path.Child(list.name), "may not be specified when `type` is 'Pod'"))
			}
			continue
		}
		for _, name := range rest.WhileFew(&errs, slices.All(quantity.SortedNames(list.of))) {
			errs = append(errs, judge(path.Child(list.name).Key(string(name)), name)...)
		}
	}
	if item.Type == corev1.LimitTypePersistentVolumeClaim {
		_, least := item.Min[corev1.ResourceStorage]
		_, most := item.Max[corev1.ResourceStorage]
		if !least && !most {
			errs = append(errs, field.Required(path.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
		}
	}
	return errs
}

// validateLimit judges what an item says of one resource: least ≤ request ≤ limit ≤ most.
func validateLimit(path *field.Path, item *corev1.LimitRangeItem, name corev1.ResourceName) field.ErrorList {
	least, hasLeast := item.Min[name]
	most, hasMost := item.Max[name]
	limit, hasLimit := item.Default[name]
	request, hasRequest := item.DefaultRequest[name]
	if item.Type == corev1.LimitTypePod {
		hasLimit, hasRequest = false, false // they are refused already
	}

	var errs field.ErrorList
	wrong := func(list string, value resource.Quantity, format string, args ...any) {
		errs = append(errs, field.Invalid(path.Child(list).Key(string(name)), value.String(), fmt.Sprintf(format, args...)))
	}
	above := func(ok bool, a, b resource.Quantity) bool { return ok && a.Cmp(b) > 0 }
	if above(hasLeast && hasMost, least, most) {
		wrong("min", least, "min value %s is greater than max value %s", &least, &most)
	}
	if above(hasLeast && hasRequest, least, request) {
		wrong("defaultRequest", request, "min value %s is greater than default request value %s", &least, &request)
	}
	if above(hasRequest && hasMost, request, most) {
		wrong("defaultRequest", request, "default request value %s is greater than max value %s", &request, &most)
	}
	if above(hasRequest && hasLimit, request, limit) {
		wrong("defaultRequest", request, "default request value %s is greater than default limit value %s", &request, &limit)
	}
	if above(hasLeast && hasLimit, least, limit) {
		wrong("default", least, "min value %s is greater than default value %s", &least, &limit)
	}
	if above(hasLimit && hasMost, limit, most) {
		wrong("default", most, "default value %s is greater than max value %s", &limit, &most)
	}
	if hasLimit && hasRequest && !quantity.MayOvercommit(name) && limit.Cmp(request) != 0 {
		wrong("defaultRequest", request, "default value %s must equal to defaultRequest value %s in %s", &limit, &request, name)
	}
	if ratio, ok := item.MaxLimitRequestRatio[name]; ok {
		if ratio.Cmp(*resource.NewQuantity(1, resource.DecimalSI)) < 0 {
			wrong("maxLimitRequestRatio", ratio, "ratio %s is less than 1", &ratio)
		}
		if widest := most.AsApproximateFloat64() / least.AsApproximateFloat64(); hasLeast && hasMost && ratio.AsApproximateFloat64() > widest {
			wrong("maxLimitRequestRatio", ratio, "ratio %s is greater than max/min = %f", &ratio, widest)
		}
	}
	return errs
}

// HasGeneration: Kubernetes does not count their changes.
func (LimitRangeStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of limit ranges.
func (LimitRangeStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Created At", Type: "date", Description: "When the limit range was created."},
	}
}

// Cells fills the columns for one limit range.
func (LimitRangeStrategy) Cells(limits *corev1.LimitRange) []any {
	return []any{limits.CreationTimestamp.UTC().Format(time.RFC3339)}
}
