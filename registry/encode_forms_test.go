package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// An object has one form in each version, pretty or not, one by one and in a list, however often it
// is asked for.
func TestFormsAgree(t *testing.T) {
	s := serve(t, strategy{})
	for i := range 5 {
		s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%d"},"spec":{"options":{"<":%q}}}`, i, strings.Repeat("x", i)))
	}
	for round := range 3 {
		changed := s.mustGet(rest.Name{Namespace: "ns", Name: "w3"})
		changed.Labels = map[string]string{"round": fmt.Sprint(round)}
		if _, _, err := s.v1.Update.Update(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "w3"}, changed, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, served := range []rest.Resource{s.v1, s.beta, s.old} {
			for _, pretty := range []bool{false, true} {
				form := rest.Representation{MediaType: rest.JSON, Pretty: pretty}
				list, err := served.List.List(ctx, "", metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				first := written(t, list, form)
				if second := written(t, list, form); second != first {
					t.Errorf("the second time %s, the first time %s", second, first)
				}
				yaml := written(t, list, rest.Representation{MediaType: rest.YAML})
				if !strings.Contains(first, fmt.Sprintf(`"round":%q`, fmt.Sprint(round))) && !pretty || !strings.Contains(yaml, fmt.Sprintf("round: %q", fmt.Sprint(round))) {
					t.Errorf("an old label in round %d: %s", round, first)
				}
			}
			one, err := served.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "w3"}, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			compact, pretty := written(t, one, rest.Representation{MediaType: rest.JSON}), written(t, one, rest.Representation{MediaType: rest.JSON, Pretty: true})
			var indented bytes.Buffer
			if err := json.Indent(&indented, []byte(compact), "", "  "); err != nil || indented.String() != pretty {
				t.Errorf("%v: compact %s, pretty %s", err, compact, pretty)
			}
		}
	}
}

// Nothing of what a client only asked to try is seen by others.
func TestADryRunIsNotSeen(t *testing.T) {
	s := serve(t, strategy{})
	w := s.mustCreate(`{"metadata":{"name":"w"}}`)
	w.Labels = map[string]string{"only": "tried"}
	tried, _, err := s.v1.Update.Update(ctx, new(rest.Request), named, w, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1](t, tried); got.Labels["only"] != "tried" {
		t.Fatalf("tried: %v", got.Labels)
	}
	if got := s.mustGet(named); len(got.Labels) > 0 || got.ResourceVersion != w.ResourceVersion {
		t.Errorf("what is stored has %v at %s", got.Labels, got.ResourceVersion)
	}
}

// Answers in the stored version are made of its bytes.
func TestStoredVersionIsWrittenWithoutAllocations(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"options":{"a":"b"}}}`)
	view, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n := testing.AllocsPerRun(100, func() {
		out.Reset()
		if err := view.WriteTo(&out, rest.Representation{MediaType: rest.JSON}); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
