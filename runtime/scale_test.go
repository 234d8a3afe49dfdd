package runtime_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestMistakesOfScales(t *testing.T) {
	read := func(in *widget.V1) runtime.Scale {
		if in.Spec.Replicas == nil {
			return runtime.Scale{}
		}
		return runtime.Scale{Replicas: *in.Spec.Replicas}
	}
	write := func(in *widget.V1, n int32) { in.Spec.Replicas = &n }
	for name, tc := range map[string]struct {
		read  func(*widget.V1) runtime.Scale
		write func(*widget.V1, int32)
		want  string
	}{
		"none":             {read, write, ""},
		"half":             {read, nil, "its scale can be read or written, but not both: set Scale and SetReplicas"},
		"the other half":   {nil, write, "its scale can be read or written, but not both: set Scale and SetReplicas"},
		"of other fields":  {read, func(in *widget.V1, n int32) { in.Generation = int64(n) }, "SetReplicas sets 3 and Scale then returns 0: they must be about the same field"},
		"of nothing there": {func(in *widget.V1) runtime.Scale { return runtime.Scale{Replicas: *in.Spec.Replicas} }, write, "Scale or SetReplicas panics for an empty object"},
	} {
		b := runtime.NewBuilder()
		v := good()
		v.Scale, v.SetReplicas = tc.read, tc.write
		runtime.AddVersion(hubOf(b), v)
		s, err := b.Build()
		switch {
		case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		case tc.want == "":
			k, err := s.Kind(widget.GV1.WithKind("Widget"))
			if err != nil {
				t.Fatal(err)
			}
			obj := k.New()
			k.SetReplicas(obj, 8)
			if !k.Scalable() || k.Scale(obj).Replicas != 8 {
				t.Errorf("scalable %v, scale %+v", k.Scalable(), k.Scale(obj))
			}
		}
	}
}

func TestSelectorText(t *testing.T) {
	for want, selector := range map[string]*metav1.LabelSelector{
		"":               nil,
		"a=b,c in (d,e)": {MatchLabels: map[string]string{"a": "b"}, MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "c", Operator: "In", Values: []string{"e", "d"}}}},
	} {
		if got := runtime.SelectorText(selector); got != want {
			t.Errorf("%v: %q, want %q", selector, got, want)
		}
	}
	if got := runtime.SelectorText(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "c", Operator: "Like"}}}); got != "" {
		t.Errorf("a selector that means nothing: %q", got)
	}
}
