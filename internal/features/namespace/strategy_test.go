package namespace

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/features/internal/strategytest"
)

func TestNamespaces(t *testing.T) {
	s := NamespaceStrategy{}
	ns := strategytest.Read[corev1.Namespace](t, "{metadata: {name: a}, spec: {finalizers: [example.com/f]}, status: {phase: Terminating}}")
	s.PrepareForCreate(t.Context(), ns)
	if ns.Status.Phase != corev1.NamespaceActive || len(ns.Spec.Finalizers) != 2 || !s.Held(ns) || s.Held(&corev1.Namespace{}) {
		t.Errorf("a new namespace: %+v", ns)
	}
	changed := ns.DeepCopy()
	changed.Spec.Finalizers = nil
	if s.PrepareForUpdate(t.Context(), changed, ns); len(changed.Spec.Finalizers) != 2 {
		t.Errorf("an update takes finalizers off: %+v", changed)
	}
	for text, want := range map[string]string{
		"{status: {phase: Active}}":      "",
		"{status: {phase: Terminating}}": "status.phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
		"{metadata: {deletionTimestamp: '2026-11-21T00:00:00Z'}, status: {phase: Active}}": "status.phase: Invalid value: \"Active\": may only be 'Terminating'",
	} {
		ns := strategytest.Read[corev1.Namespace](t, text)
		strategytest.WantErrors(t, text, s.ValidateStatusUpdate(t.Context(), ns, ns), want)
	}
	for name, good := range map[string]bool{"a": true, "a.b": false, "A": false, strings.Repeat("a", 64): false} {
		if got := len(s.ValidateName(name, false)) == 0; got != good {
			t.Errorf("a namespace called %s: %v", name, got)
		}
	}
}
