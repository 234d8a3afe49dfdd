package admission_test

import (
	"context"
	"slices"
	"testing"

	"github.com/typeplane/typeplane/admission"
)

// TestSecondRound: when a plug-in asks for it, all are asked once more, and each does what it has
// said in the first round, or else the same again.
func TestSecondRound(t *testing.T) {
	for name, again := range map[string]bool{"one round": false, "two rounds": true} {
		t.Run(name, func(t *testing.T) {
			var did []string
			do := func(what string) func(context.Context, *admission.Request) error {
				return func(context.Context, *admission.Request) error {
					did = append(did, what)
					return nil
				}
			}
			chain := new(admission.Chain)
			chain.Set([]admission.Plugin{
				{Name: "same", Mutate: do("same")},
				{Name: "judge"},
				{Name: "other", Mutate: func(_ context.Context, r *admission.Request) error {
					did = append(did, "first")
					r.Second(do("second"))
					return nil
				}},
				{Name: "asks", Mutate: func(_ context.Context, r *admission.Request) error {
					r.Again = again
					return nil
				}},
			})
			if err := chain.Mutate(t.Context(), new(admission.Request)); err != nil {
				t.Fatal(err)
			}
			want := []string{"same", "first"}
			if again {
				want = append(want, "same", "second")
			}
			if !slices.Equal(did, want) {
				t.Errorf("%q, want %q", did, want)
			}
		})
	}
}
