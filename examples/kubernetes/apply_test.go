package kubernetes

import (
	"testing"

	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestApply applies an object of each kind.
func TestApply(t *testing.T) {
	if n := servertest.StartProgram(t, Program(features.Extras{})).ApplyEvery(); n < 60 {
		t.Errorf("only %d kinds", n)
	}
}
