package quota

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/typeplane/typeplane/internal/quantity"
)

// difference is a without b, without zeros.
func difference(a, b corev1.ResourceList) corev1.ResourceList {
	left := corev1.ResourceList{}
	for name := range merged(a, b) {
		amount := a[name].DeepCopy()
		amount.Sub(b[name])
		if !amount.IsZero() {
			left[name] = amount
		}
	}
	return left
}

// risen returns the sorted names of the positive amounts of a difference.
func risen(delta corev1.ResourceList) (names []corev1.ResourceName) {
	for _, name := range quantity.SortedNames(delta) {
		if amount := delta[name]; amount.Sign() > 0 {
			names = append(names, name)
		}
	}
	return names
}

func merged(a, b corev1.ResourceList) corev1.ResourceList {
	all := maps.Clone(b)
	if all == nil {
		all = corev1.ResourceList{}
	}
	maps.Copy(all, a)
	return all
}

// masked is the part of a list that another one has names of.
func masked(list, names corev1.ResourceList) corev1.ResourceList {
	part := corev1.ResourceList{}
	for name, amount := range list {
		if _, ok := names[name]; ok {
			part[name] = amount
		}
	}
	return part
}

func sameList(a, b corev1.ResourceList) bool {
	return maps.EqualFunc(a, b, func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 })
}

// shown are the amounts of some names: "cpu=1,pods=2".
func shown(list corev1.ResourceList, names []corev1.ResourceName) string {
	var parts []string
	for _, name := range names {
		amount := list[name]
		parts = append(parts, string(name)+"="+amount.String())
	}
	return strings.Join(parts, ",")
}
