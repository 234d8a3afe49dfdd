package storage

import "testing"

// TestReadEntryAllocates: the recovery around Canonical costs no memory.
func TestReadEntryAllocates(t *testing.T) {
	form := Form{Canonical: func(_ string, stored []byte) ([]byte, bool, error) { return stored, false, nil }}
	stored := []byte("one")
	if n := testing.AllocsPerRun(100, func() { form.ReadEntry("/pods/a", stored, 7) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
