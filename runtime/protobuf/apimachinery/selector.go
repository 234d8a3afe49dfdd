package apimachinery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/protobuf"
)

var (
	typeLabelSelector            protobuf.Type[metav1.LabelSelector]
	typeLabelSelectorRequirement protobuf.Type[metav1.LabelSelectorRequirement]
)

// LabelSelector says how LabelSelector is read.
func LabelSelector() *protobuf.Type[metav1.LabelSelector] {
	if m := protobuf.Begin(&typeLabelSelector); m != nil {
		t := &typeLabelSelector.Layout
		protobuf.TextMap(t, 1, &m.MatchLabels)
		protobuf.Items(t, 2, &m.MatchExpressions, LabelSelectorRequirement())
	}
	return &typeLabelSelector
}

// PutLabelSelector writes m.
func PutLabelSelector(w *protobuf.Writer, n int, m *metav1.LabelSelector) int {
	if m == nil {
		return n
	}
	for i := len(m.MatchExpressions) - 1; i >= 0; i-- {
		before := n
		n = PutLabelSelectorRequirement(w, n, &m.MatchExpressions[i])
		n = w.Close(n, 2<<3|2, before)
	}
	return protobuf.PutTextMap(w, n, 1<<3|2, m.MatchLabels)
}

// LabelSelectorRequirement says how LabelSelectorRequirement is read.
func LabelSelectorRequirement() *protobuf.Type[metav1.LabelSelectorRequirement] {
	if m := protobuf.Begin(&typeLabelSelectorRequirement); m != nil {
		t := &typeLabelSelectorRequirement.Layout
		protobuf.Text(t, 1, &m.Key)
		protobuf.Text(t, 2, &m.Operator)
		protobuf.Texts(t, 3, &m.Values)
	}
	return &typeLabelSelectorRequirement
}

// PutLabelSelectorRequirement writes m.
func PutLabelSelectorRequirement(w *protobuf.Writer, n int, m *metav1.LabelSelectorRequirement) int {
	if m == nil {
		return n
	}
	for i := len(m.Values) - 1; i >= 0; i-- {
		n = w.PutString(n, 3<<3|2, m.Values[i])
	}
	n = w.PutString(n, 2<<3|2, string(m.Operator))
	return w.PutString(n, 1<<3|2, m.Key)
}
