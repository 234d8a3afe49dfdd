package view

import (
	"bytes"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// TestConverted writes a list for whose items there is room, no room, so that they are made twice,
// and room for some. The bytes are the same, and all room is given back.
func TestConverted(t *testing.T) {
	const n = 100
	l := &List{}
	for i := range n {
		l.Entries = append(l.Entries, &storage.Entry{Revision: int64(i)})
	}
	write := func(taken int64) (text []byte, made int) {
		t.Helper()
		var buf bytes.Buffer
		keptBytes.Add(taken)
		err := inChunks(&buf, func(out *chunks) error {
			return l.writeConverted(out, schema.GroupVersionKind{Version: "v1", Kind: "L"}, func(dst []byte, e storage.Entry) ([]byte, error) {
				made++
				size := 10000
				if e.Revision == 50 {
					size = 2 * piece
				}
				return append(dst, bytes.Repeat([]byte{byte(e.Revision)}, size)...), nil
			})
		})
		if left := keptBytes.Add(-taken); err != nil || left != 0 {
			t.Fatalf("%v, and %d bytes are not given back", err, left)
		}
		return buf.Bytes(), made
	}
	want, made := write(0)
	if made != n {
		t.Errorf("%d items were made %d times", n, made)
	}
	for _, c := range []struct {
		room int64
		most int
	}{{0, 2 * n}, {2 * piece, 2*n - 50}, {mostKept, n}} { // with two pieces there is room up to the large item
		if got, made := write(mostKept - c.room); !bytes.Equal(got, want) || made != c.most {
			t.Errorf("with room for %d bytes: made %d times, want %d; the same bytes: %t", c.room, made, c.most, bytes.Equal(got, want))
		}
	}
	l.Decorate = func(runtime.Object) {}
	if got, made := write(mostKept); !bytes.Equal(got, want) || made != n {
		t.Errorf("what is decorated was made %d times", made)
	}
}
