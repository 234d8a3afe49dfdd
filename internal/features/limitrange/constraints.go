package limitrange

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/typeplane/typeplane/internal/quantity"
)

// maxErrors is how many errors about one object a client reads. Joining them takes time by the
// square of their number.
const maxErrors = 100

// judgePod says where a pod does not keep within a limit range, at least maxErrors times if it does
// so often. The words are those of Kubernetes, which tests of clients look for.
func judgePod(pod *corev1.Pod, limits *corev1.LimitRange) (errs []error) {
	for i := range limits.Spec.Limits {
		switch item := &limits.Spec.Limits[i]; item.Type {
		case corev1.LimitTypeContainer:
			for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for j := range containers {
					if len(errs) >= maxErrors {
						return errs
					}
					errs = append(errs, judgeResources(item, containers[j].Resources)...)
				}
			}
		case corev1.LimitTypePod:
			errs = append(errs, judgeResources(item, corev1.ResourceRequirements{Requests: quantity.OfPod(&pod.Spec, quantity.Requests), Limits: quantity.OfPod(&pod.Spec, quantity.Limits)})...)
		}
	}
	return errs
}

// judgeResources compares what somebody asks for with one item.
func judgeResources(item *corev1.LimitRangeItem, asked corev1.ResourceRequirements) (errs []error) {
	for _, part := range []struct {
		bounds corev1.ResourceList
		judge  func(bound) error
	}{{item.Min, bound.least}, {item.Max, bound.most}, {item.MaxLimitRequestRatio, bound.ratio}} {
		for _, name := range slices.Sorted(maps.Keys(part.bounds)) {
			b := bound{of: item.Type, name: name, value: part.bounds[name]}
			b.request, b.hasRequest = asked.Requests[name]
			b.limit, b.hasLimit = asked.Limits[name]
			if err := part.judge(b); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errs
}

// judgeClaim says where a claim does not keep within a limit range. For a claim only the request
// counts.
func judgeClaim(claim *corev1.PersistentVolumeClaim, limits *corev1.LimitRange) (errs []error) {
	for i := range limits.Spec.Limits {
		item := &limits.Spec.Limits[i]
		if item.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		for _, part := range []struct {
			bounds corev1.ResourceList
			judge  func(bound) error
		}{{item.Min, bound.least}, {item.Max, bound.mostRequested}} {
			for _, name := range slices.Sorted(maps.Keys(part.bounds)) {
				b := bound{of: item.Type, name: name, value: part.bounds[name]}
				b.request, b.hasRequest = claim.Spec.Resources.Requests[name]
				if err := part.judge(b); err != nil {
					errs = append(errs, err)
				}
			}
		}
	}
	return errs
}

// bound is one number of a limit range, and what somebody asks for of the same resource.
type bound struct {
	of                   corev1.LimitType
	name                 corev1.ResourceName
	value                resource.Quantity
	request, limit       resource.Quantity
	hasRequest, hasLimit bool
}

func (b bound) least() error {
	switch {
	case !b.hasRequest:
		return b.wrong("minimum", ".  No request is specified")
	case b.request.Cmp(b.value) < 0:
		return b.wrong("minimum", ", but request is "+b.request.String())
	case b.hasLimit && b.limit.Cmp(b.value) < 0:
		return b.wrong("minimum", ", but limit is "+b.limit.String())
	}
	return nil
}

func (b bound) most() error {
	switch {
	case !b.hasLimit:
		return b.wrong("maximum", ".  No limit is specified")
	case b.limit.Cmp(b.value) > 0:
		return b.wrong("maximum", ", but limit is "+b.limit.String())
	case b.hasRequest && b.request.Cmp(b.value) > 0:
		return b.wrong("maximum", ", but request is "+b.request.String())
	}
	return nil
}

// mostRequested is for those who have no limits.
func (b bound) mostRequested() error {
	switch {
	case !b.hasRequest:
		return b.wrong("maximum", ".  No request is specified")
	case b.request.Cmp(b.value) > 0:
		return b.wrong("maximum", ", but request is "+b.request.String())
	}
	return nil
}

func (b bound) wrong(which, why string) error {
	return fmt.Errorf("%s %s usage per %s is %s%s", which, b.name, b.of, b.value.String(), why)
}

// numbers are the quantities in one unit: thousandths, unless one of them is too large for that.
// What is too large for 64 bits is 0.
func (b bound) numbers() (request, limit, value int64) {
	request, limit, value = b.request.Value(), b.limit.Value(), b.value.Value()
	if max(request, limit, value) <= resource.MaxMilliValue {
		return b.request.MilliValue(), b.limit.MilliValue(), b.value.MilliValue()
	}
	return request, limit, value
}

// ratio bounds how much more than its request somebody may use.
func (b bound) ratio() error {
	request, limit, _ := b.numbers()
	wrong := func(why string) error {
		return fmt.Errorf("%s max limit to request ratio per %s is %s, but %s", b.name, b.of, b.value.String(), why)
	}
	if request == 0 {
		return wrong("no request is specified or request is 0")
	}
	if limit == 0 {
		return wrong("no limit is specified or limit is 0")
	}
	observed := float64(limit) / float64(request)
	scaled, most := observed, float64(b.value.Value())
	if b.value.Value() <= resource.MaxMilliValue {
		scaled, most = observed*1000, float64(b.value.MilliValue())
	}
	if scaled > most {
		return wrong(fmt.Sprintf("provided ratio is %f", observed))
	}
	return nil
}
