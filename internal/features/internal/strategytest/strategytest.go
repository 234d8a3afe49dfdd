// Package strategytest helps to test the rules of kinds: objects are written as YAML, errors as the
// beginnings of their texts.
package strategytest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// Read makes an object of YAML.
func Read[T any](t *testing.T, text string) *T {
	t.Helper()
	obj := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), obj); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return obj
}

// WantErrors compares errors with the beginnings of their texts, joined by |, in any order.
func WantErrors(t *testing.T, about string, errs field.ErrorList, want string) {
	t.Helper()
	var wants []string
	if want != "" {
		wants = strings.Split(want, "|")
	}
	if len(errs) != len(wants) {
		t.Errorf("%s: %v, want %q", about, errs, wants)
		return
	}
	all := errs.ToAggregate()
	for _, w := range wants {
		if !strings.Contains(all.Error(), w) {
			t.Errorf("%s: %v, want %s", about, all, w)
		}
	}
}
