package ownership_test

import (
	"testing"

	"github.com/typeplane/typeplane/registry/ownershiptest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestOwnersAreThoseOfManagedfields(t *testing.T) {
	if n := ownershiptest.Compare(t, widget.Scheme(), widget.OpenAPI(), 1000, 1); n < 700 && !t.Failed() {
		t.Errorf("only %d of the writes were compared", n)
	}
}
