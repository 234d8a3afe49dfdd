package registry_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// Whatever selectors and tokens a client sends, a list answers with what the selectors of
// apimachinery choose, or with a 400. A token that was made up never leads out of the collection.
func FuzzSelectors(f *testing.F) {
	for _, s := range [][3]string{
		{"app=shop", "", ""}, {"app in (shop,bank),!tier", "spec.color=green", ""}, {"app notin (shop)", "metadata.name!=w", ""},
		{"app>1,app<5", "metadata.namespace=ns", ""}, {"a b", `spec.color=\,`, ""}, {"", "spec.color", ""},
		{"((((", "spec.size=1", ""}, {"", "", "e30"},
		{"", "", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi9zZWNyZXRzL2EifQ"},
		{"", "", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoidyJ9"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, label, field, token string) {
		s := serve(t, strategy{})
		s.mustCreate(`{"metadata":{"name":"w","labels":{"app":"shop","tier":"3"}},"spec":{"color":"green"}}`)
		view, err := s.v1.List.List(ctx, "ns", metav1.ListOptions{LabelSelector: label, FieldSelector: field, Continue: token})
		if err != nil {
			if !apierrors.IsBadRequest(err) && !apierrors.IsResourceExpired(err) {
				t.Fatalf("%q %q %q: %v", label, field, token, err)
			}
			return
		}
		for _, w := range read[*widget.V1List](t, view).Items {
			chosen, err := labels.Parse(label)
			if err != nil || !chosen.Matches(labels.Set(w.Labels)) {
				t.Errorf("%q chose %v (%v)", label, w.Labels, err)
			}
			by, err := fields.ParseSelector(field)
			set := fields.Set{"metadata.name": w.Name, "metadata.namespace": w.Namespace, "spec.color": w.Spec.Color}
			if err != nil || !by.Matches(set) {
				t.Errorf("%q chose %v (%v)", field, set, err)
			}
		}
	})
}
