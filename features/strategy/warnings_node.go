package strategy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// oldNodeLabels are labels of nodes that have another name now, or none.
var oldNodeLabels = []struct{ key, text string }{
	{"beta.kubernetes.io/arch", `deprecated since v1.14; use "kubernetes.io/arch" instead`},
	{"beta.kubernetes.io/os", `deprecated since v1.14; use "kubernetes.io/os" instead`},
	{"failure-domain.beta.kubernetes.io/region", `deprecated since v1.17; use "topology.kubernetes.io/region" instead`},
	{"failure-domain.beta.kubernetes.io/zone", `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`},
	{"beta.kubernetes.io/instance-type", `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`},
	{"app.kubernetes.io/created-by", `deprecated since v1.9`},
	{"scheduler.alpha.kubernetes.io/preferAvoidPods", `deprecated since v1.22; use Taints and Tolerations instead`},
	{"node-role.kubernetes.io/master", `use "node-role.kubernetes.io/control-plane" instead`},
}

// OldNodeLabel says what to do instead of asking for a label of nodes; "" if nothing is wrong with
// it.
func OldNodeLabel(key string) string {
	for _, old := range oldNodeLabels {
		if old.key == key {
			return old.text
		}
	}
	return ""
}

// NodeLabels looks at labels that nodes should have. How a label and what to do instead become one
// text is said by format, since a kube-apiserver has several ways.
func (w *Warnings) NodeLabels(labels map[string]string, format func(key, instead string) string) {
	if len(labels) == 0 {
		return
	}
	for _, old := range oldNodeLabels {
		if _, ok := labels[old.key]; ok {
			w.Add("%s", format(old.key, old.text))
		}
	}
}

// NodeSelector looks at how a selector of nodes' labels finds them.
func (w *Warnings) NodeSelector(place string, selector *metav1.LabelSelector) {
	if selector == nil {
		return
	}
	for i := range selector.MatchExpressions {
		w.nodeLabel(selector.MatchExpressions[i].Key, func() string { return fmt.Sprintf("%s.matchExpressions[%d].key", place, i) })
	}
	w.NodeLabels(selector.MatchLabels, func(key, instead string) string {
		return place + ".matchLabels." + key + ": " + instead
	})
}

func (w *Warnings) nodeLabel(key string, place func() string) {
	if instead := OldNodeLabel(key); instead != "" {
		w.Add("%s: %s is %s", place(), key, instead)
	}
}

// nodeTerm looks at the labels of a term.
func (w *Warnings) nodeTerm(term *corev1.NodeSelectorTerm, place func() string) {
	for i := range term.MatchExpressions {
		w.nodeLabel(term.MatchExpressions[i].Key, func() string { return fmt.Sprintf("%s.matchExpressions[%d].key", place(), i) })
	}
}

// preferredNode looks at the values of a term, too: a wish for what no node can have refuses no
// pod.
func (w *Warnings) preferredNode(term *corev1.NodeSelectorTerm, place func() string) {
	w.nodeTerm(term, place)
	for i := range term.MatchExpressions {
		for j, value := range term.MatchExpressions[i].Values {
			if w.full() {
				return
			}
			for _, wrong := range validation.IsValidLabelValue(value) {
				w.Add("%s.matchExpressions[%d].values[%d]: %s is invalid, %s", place(), i, j, value, wrong)
			}
		}
	}
}
