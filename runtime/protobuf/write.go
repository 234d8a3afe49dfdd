package protobuf

import (
	"encoding/binary"
	"io"
	"math"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Writer writes from the end of Data to its start, so that the length of a message is known when it
// is to be written. How much was written goes from one function to the next: each takes n and
// returns what it is then. What Data has no room for is counted, too.
type Writer struct {
	Data    []byte
	err     error
	scratch *[]byte // to be given back
}

// scratches are buffers that are written to before their content is copied to where it is kept.
var scratches = sync.Pool{New: func() any {
	b := make([]byte, 4<<10)
	return &b
}}

// NewWriter is a writer that has room for most objects.
func NewWriter() Writer {
	scratch := scratches.Get().(*[]byte)
	return Writer{Data: *scratch, scratch: scratch}
}

// maxPooled is how large scratch buffers become that are kept.
const maxPooled = 256 << 10

// Again tells whether there was no room for n bytes. Now there is: just as much, if the buffer is
// too large to be kept.
func (w *Writer) Again(n int) bool {
	switch {
	case n <= len(w.Data):
		return false
	case n > maxPooled:
		w.Data = make([]byte, n)
	default:
		w.Data = make([]byte, min(n+n/2, maxPooled))
	}
	w.err = nil
	return true
}

// Finish appends what was written to dst, and gives the buffer back. After an error it returns dst
// as it was.
func (w *Writer) Finish(dst []byte, n int) ([]byte, error) {
	written := w.Data[len(w.Data)-n:]
	switch {
	case w.err != nil:
	case dst == nil && len(w.Data) > maxPooled:
		dst = written // nobody else has it
	case dst == nil:
		dst = make([]byte, n)
		copy(dst, written)
	default:
		dst = append(dst, written...)
	}
	if len(w.Data) <= maxPooled {
		*w.scratch = w.Data
	}
	scratches.Put(w.scratch)
	return dst, w.err
}

// Fit returns how much was written at the end of data.
func (w *Writer) Fit(n int) (int, error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case n > len(w.Data):
		return 0, io.ErrShortBuffer
	}
	return n, nil
}

// PutNumber writes a number and its tag.
func (w *Writer) PutNumber(n int, tag, v uint64) int {
	i := len(w.Data) - n
	switch {
	case i < 3 || v >= 0x80 || tag >= 1<<14:
		size := SizeVarint(tag) + SizeVarint(v)
		if i >= size {
			encodeVarint(w.Data, encodeVarint(w.Data, i, v), tag)
		}
		return n + size
	case tag < 0x80:
		head := w.Data[i-2 : i]
		head[0], head[1] = byte(tag), byte(v)
		return n + 2
	default:
		head := w.Data[i-3 : i]
		head[0], head[1], head[2] = byte(tag)|0x80, byte(tag>>7), byte(v)
		return n + 3
	}
}

// PutBool writes a bool and its tag.
func (w *Writer) PutBool(n int, tag uint64, v bool) int {
	var number uint64
	if v {
		number = 1
	}
	return w.PutNumber(n, tag, number)
}

// PutFloat64 writes v and its tag.
func (w *Writer) PutFloat64(n int, tag uint64, v float64) int {
	n += 8
	if i := len(w.Data) - n; i >= 0 {
		binary.LittleEndian.PutUint64(w.Data[i:], math.Float64bits(v))
	}
	return w.putTag(n, tag)
}

// PutFloat32 writes v and its tag.
func (w *Writer) PutFloat32(n int, tag uint64, v float32) int {
	n += 4
	if i := len(w.Data) - n; i >= 0 {
		binary.LittleEndian.PutUint32(w.Data[i:], math.Float32bits(v))
	}
	return w.putTag(n, tag)
}

// putTag writes a tag alone.
func (w *Writer) putTag(n int, tag uint64) int {
	size := SizeVarint(tag)
	if i := len(w.Data) - n; i >= size {
		encodeVarint(w.Data, i, tag)
	}
	return n + size
}

// PutString writes v, its length and its tag.
func (w *Writer) PutString(n int, tag uint64, v string) int {
	n += len(v)
	i := len(w.Data) - n
	if i < 2 || tag >= 0x80 || len(v) >= 0x80 {
		if i >= 0 {
			copy(w.Data[i:], v)
		}
		return w.PutNumber(n, tag, uint64(len(v)))
	}
	field := w.Data[i-2:]
	field[0], field[1] = byte(tag), byte(len(v))
	switch to, from := field[2:], []byte(v); {
	case len(from) > 16:
		copy(to, from)
	case len(from) >= 8: // two words, which overlap: for so little, a call of copy takes as long as all the rest
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to[len(from)-8:], binary.LittleEndian.Uint64(from[len(from)-8:]))
	default:
		for i := range len(v) {
			to[i] = v[i]
		}
	}
	return n + 2
}

// PutBytes writes v, its length and its tag.
func (w *Writer) PutBytes(n int, tag uint64, v []byte) int {
	n += len(v)
	if i := len(w.Data) - n; i >= 0 {
		copy(w.Data[i:], v)
	}
	return w.PutNumber(n, tag, uint64(len(v)))
}

// Close writes the tag and the length of what was written since before.
func (w *Writer) Close(n int, tag uint64, before int) int {
	return w.PutNumber(n, tag, uint64(n-before))
}

// PutOther writes a message that has size bytes by its own method, and its tag.
func (w *Writer) PutOther(n int, tag uint64, size int, marshal func([]byte) (int, error)) int {
	if free := len(w.Data) - n; free >= size {
		written, err := marshal(w.Data[:free])
		if err != nil && w.err == nil {
			w.err = err
		}
		size = written
	}
	return w.PutNumber(n+size, tag, uint64(size))
}

// PutTime writes a time and its tag. Parts of a second are not kept.
func (w *Writer) PutTime(n int, tag uint64, t *metav1.Time) int {
	before := n
	if t != nil && !t.IsZero() {
		n = w.PutNumber(n, 2<<3, 0)
		n = w.PutNumber(n, 1<<3, uint64(t.Unix()))
	}
	return w.Close(n, tag, before)
}

// PutQuantity writes a quantity and its tag. It works on a copy, because a quantity keeps the text
// that is made of it.
func (w *Writer) PutQuantity(n int, tag uint64, q resource.Quantity) int {
	return w.Close(w.PutString(n, 1<<3|wireBytes, q.String()), tag, n)
}

// PutTextPointer writes the string that v points to and its tag, unless v is nil.
func PutTextPointer[S ~string](w *Writer, n int, tag uint64, v *S) int {
	if v == nil {
		return n
	}
	return w.PutString(n, tag, string(*v))
}

// PutNumberPointer writes the number that v points to and its tag, unless v is nil.
func PutNumberPointer[N integer](w *Writer, n int, tag uint64, v *N) int {
	if v == nil {
		return n
	}
	return w.PutNumber(n, tag, uint64(*v))
}

// PutBoolPointer writes the bool that v points to and its tag, unless v is nil.
func PutBoolPointer[B ~bool](w *Writer, n int, tag uint64, v *B) int {
	if v == nil {
		return n
	}
	return w.putBool(n, tag, bool(*v))
}

// putBool is PutBool for a function that the compiler is to inline.
//
//go:noinline
func (w *Writer) putBool(n int, tag uint64, v bool) int { return w.PutBool(n, tag, v) }

// PutTexts writes strings, each with the tag.
func PutTexts[S ~string](w *Writer, n int, tag uint64, list []S) int {
	for k := len(list) - 1; k >= 0; k-- {
		n = w.PutString(n, tag, string(list[k]))
	}
	return n
}

// PutTextMap writes a map of strings, sorted by key: a message has one form only.
func PutTextMap[K, V ~string](w *Writer, n int, tag uint64, m map[K]V) int {
	if len(m) == 1 {
		for k, v := range m {
			n = putTextEntry(w, n, tag, k, v)
		}
		return n
	}
	var room [8]K
	keys := SortedKeys(room[:0], m)
	for k := len(keys) - 1; k >= 0; k-- {
		n = putTextEntry(w, n, tag, keys[k], m[keys[k]])
	}
	return n
}

func putTextEntry[K, V ~string](w *Writer, n int, tag uint64, k K, v V) int {
	before := n
	n = w.PutString(n, 2<<3|wireBytes, string(v))
	n = w.PutString(n, 1<<3|wireBytes, string(k))
	return w.Close(n, tag, before)
}
