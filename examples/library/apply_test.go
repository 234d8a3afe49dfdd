package main

import (
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestApply applies an object of each kind, in each version.
func TestApply(t *testing.T) {
	if n := servertest.StartProgram(t, newServer()).ApplyEvery(); n != 3 {
		t.Errorf("%d kinds, want 3", n)
	}
}
