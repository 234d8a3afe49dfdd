package quota

import (
	"errors"
	"testing"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestGateOfALaterRelease covers a gate that this program can't read: nobody passes or opens it.
func TestGateOfALaterRelease(t *testing.T) {
	store := memory.New(memory.Config{})
	value := string(bookkeeping.Format{Number: 2, Release: "v9.0.0"}.Encode([]byte(gateOpen)))
	if _, err := store.Create(t.Context(), GatePrefix+"ns", []byte(value)); err != nil {
		t.Fatal(err)
	}
	g := gates{store: store}
	var newer *bookkeeping.NewerError
	if _, err := g.pass(t.Context(), "ns", true); !errors.As(err, &newer) {
		t.Errorf("pass: %v", err)
	}
	if _, err := g.close(t.Context(), "ns"); !errors.As(err, &newer) {
		t.Errorf("close: %v", err)
	}
}
