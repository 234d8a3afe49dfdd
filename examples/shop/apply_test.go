package shop_test

import (
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/examples/shop"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestApply applies an object of each kind.
func TestApply(t *testing.T) {
	if n := servertest.StartProgram(t, typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}}).ApplyEvery(); n != 1 {
		t.Errorf("%d kinds, want 1", n)
	}
}
