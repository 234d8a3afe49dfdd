package program_test

import (
	"slices"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// TestWithout: a program that has its kinds in an API loses a version as one that has them in its
// Server.
func TestWithout(t *testing.T) {
	for name, s := range map[string]program.Server{"server": programtest.Widgets(), "api": programtest.OwnWidgets()} {
		joined, _, err := program.Join(s.Without(widget.GV1beta1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := joined.Resources[0].Versions(); slices.Contains(got, widget.GV1beta1) || !slices.Contains(got, widget.GV1) {
			t.Errorf("%s: %v", name, got)
		}
		if _, err := program.NewScheme(joined); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
