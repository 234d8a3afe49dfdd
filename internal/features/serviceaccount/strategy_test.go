package serviceaccount

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Who sets the annotation is warned, and nobody who leaves it as it is.
func TestAccountWarnings(t *testing.T) {
	with, without := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{separated: "true"}}}, new(corev1.ServiceAccount)
	s := ServiceAccountStrategy{}
	for of, c := range map[string]struct {
		got  []string
		want int
	}{
		"a new account":     {s.WarningsOnCreate(t.Context(), without), 0},
		"a new one with it": {s.WarningsOnCreate(t.Context(), with), 1},
		"set":               {s.WarningsOnUpdate(t.Context(), with, without), 1},
		"left":              {s.WarningsOnUpdate(t.Context(), with, with), 0},
		"taken away":        {s.WarningsOnUpdate(t.Context(), without, with), 0},
	} {
		if len(c.got) != c.want {
			t.Errorf("%s: %q", of, c.got)
		}
	}
}
