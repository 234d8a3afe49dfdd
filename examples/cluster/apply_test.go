package main

import (
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestApply applies an object of each kind.
func TestApply(t *testing.T) {
	if n := servertest.StartProgram(t, program()).ApplyEvery(); n < 25 {
		t.Errorf("only %d kinds", n)
	}
}
