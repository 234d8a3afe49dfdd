package v1

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/quantity"
)

// The functions here are found by their names. What they do is what Kubernetes does.

// SetDefaults_ResourceList rounds up to thousandths: that is as fine as anybody counts.
func SetDefaults_ResourceList(in *corev1.ResourceList) { quantity.RoundUp(*in) }

// SetDefaults_LimitRangeItem gives containers a limit and a request where the item has none. The
// limit is the most that is allowed. The request is the limit, or else the least that is allowed.
func SetDefaults_LimitRangeItem(in *corev1.LimitRangeItem) {
	if in.Type != corev1.LimitTypeContainer {
		return
	}
	fillFrom(&in.Default, in.Max)
	fillFrom(&in.DefaultRequest, in.Default)
	fillFrom(&in.DefaultRequest, in.Min)
}

// fillFrom adds what is only in another list.
func fillFrom(list *corev1.ResourceList, other corev1.ResourceList) {
	for name, q := range other {
		if _, ok := (*list)[name]; ok {
			continue
		}
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[name] = q.DeepCopy()
	}
}
