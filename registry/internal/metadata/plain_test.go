package metadata

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The library is the judge: it must find nothing in what is not shown to it.
func TestPlainLabelsAndAnnotationsAreRight(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const signs = "aaazzAZ0099--__../ é~\n"
	text := func() string {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteByte(signs[random.IntN(len(signs))])
		}
		return strings.Repeat(b.String(), 1+random.IntN(8)/7*random.IntN(40))
	}
	plain, not := 0, 0
	for range 50_000 {
		meta := &metav1.ObjectMeta{Name: "a", Labels: map[string]string{text(): text()}, Annotations: map[string]string{text(): text()}}
		shown := *meta
		if plainLabels(meta.Labels) {
			plain++
		} else {
			shown.Labels = nil
			not++
		}
		if !plainAnnotations(meta.Annotations) {
			shown.Annotations = nil
		}
		if errs := validation.ValidateObjectMeta(&shown, false, validation.NameIsDNSSubdomain, field.NewPath("metadata")); len(errs) > 0 {
			t.Fatal(errs)
		}
	}
	if plain < 100 || not < 100 {
		t.Errorf("%d were plain, %d not", plain, not)
	}
	for _, key := range []string{"app", "app.kubernetes.io/name", "example.com/A_b.c-d", strings.Repeat("a", 63)} {
		if !plainKey(key) {
			t.Errorf("%s is not plain", key)
		}
	}
	large := map[string]string{"a": strings.Repeat("x", validation.TotalAnnotationSizeLimitB-1)}
	if !plainAnnotations(large) {
		t.Error("annotations of just the size are not plain")
	}
	if large["b"] = ""; plainAnnotations(large) {
		t.Error("annotations that are too large are plain")
	}
}

func TestWhatIsNotPlainIsAsked(t *testing.T) {
	rules := Rules{}
	for _, meta := range []metav1.ObjectMeta{
		{Name: "a", Labels: map[string]string{"-a": ""}},
		{Name: "a", Labels: map[string]string{"a": "a b"}},
		{Name: "a", Labels: map[string]string{"A.b/c": ""}},
		{Name: "a", Annotations: map[string]string{"a..b/c": ""}},
		{Name: "a", Annotations: map[string]string{"a": strings.Repeat("x", validation.TotalAnnotationSizeLimitB)}},
	} {
		if errs := rules.ValidateNew(&meta); len(errs) != 1 {
			t.Errorf("%.200v: %v", meta, errs)
		}
	}
}
