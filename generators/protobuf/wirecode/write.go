//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"encoding/binary"
	"io"
	"math"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writerGenerated writes from the end of data to its start, so that the length of a message is known when it is to be
// written. How much was written goes from one function to the next: each takes n and returns what it is then. What
// data has no room for is counted, too.
type writerGenerated struct {
	data    []byte
	err     error
	scratch *[]byte // to be given back
}

// scratchGenerated are buffers that are written to before their content is copied to where it is kept.
var scratchGenerated = sync.Pool{New: func() any {
	b := make([]byte, 4<<10)
	return &b
}}

// startGenerated is a writer that has room for most objects.
func startGenerated() writerGenerated {
	scratch := scratchGenerated.Get().(*[]byte)
	return writerGenerated{data: *scratch, scratch: scratch}
}

// pooledGenerated is how large scratch buffers become that are kept.
const pooledGenerated = 256 << 10

// again tells whether there was no room for n bytes. Now there is: just as much, if the buffer is too large to be kept.
func (w *writerGenerated) again(n int) bool {
	switch {
	case n <= len(w.data):
		return false
	case n > pooledGenerated:
		w.data = make([]byte, n)
	default:
		w.data = make([]byte, min(n+n/2, pooledGenerated))
	}
	w.err = nil
	return true
}

// finish appends what was written to dst, and gives the buffer back. After an error it returns dst as it was.
func (w *writerGenerated) finish(dst []byte, n int) ([]byte, error) {
	written := w.data[len(w.data)-n:]
	switch {
	case w.err != nil:
	case dst == nil && len(w.data) > pooledGenerated:
		dst = written // nobody else has it
	case dst == nil:
		dst = make([]byte, n)
		copy(dst, written)
	default:
		dst = append(dst, written...)
	}
	if len(w.data) <= pooledGenerated {
		*w.scratch = w.data
	}
	scratchGenerated.Put(w.scratch)
	return dst, w.err
}

// fit returns how much was written at the end of data.
func (w *writerGenerated) fit(n int) (int, error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case n > len(w.data):
		return 0, io.ErrShortBuffer
	}
	return n, nil
}

// putNumber writes a number and its tag.
func (w *writerGenerated) putNumber(n int, tag, v uint64) int {
	i := len(w.data) - n
	switch {
	case i < 3 || v >= 0x80 || tag >= 1<<14:
		size := sovGenerated(tag) + sovGenerated(v)
		if i >= size {
			encodeVarintGenerated(w.data, encodeVarintGenerated(w.data, i, v), tag)
		}
		return n + size
	case tag < 0x80:
		head := w.data[i-2 : i]
		head[0], head[1] = byte(tag), byte(v)
		return n + 2
	default:
		head := w.data[i-3 : i]
		head[0], head[1], head[2] = byte(tag)|0x80, byte(tag>>7), byte(v)
		return n + 3
	}
}

// putBool writes a bool and its tag.
func (w *writerGenerated) putBool(n int, tag uint64, v bool) int {
	var number uint64
	if v {
		number = 1
	}
	return w.putNumber(n, tag, number)
}

// putFloat64 writes v and its tag.
func (w *writerGenerated) putFloat64(n int, tag uint64, v float64) int {
	n += 8
	if i := len(w.data) - n; i >= 0 {
		binary.LittleEndian.PutUint64(w.data[i:], math.Float64bits(v))
	}
	return w.putTag(n, tag)
}

// putFloat32 writes v and its tag.
func (w *writerGenerated) putFloat32(n int, tag uint64, v float32) int {
	n += 4
	if i := len(w.data) - n; i >= 0 {
		binary.LittleEndian.PutUint32(w.data[i:], math.Float32bits(v))
	}
	return w.putTag(n, tag)
}

// putTag writes a tag alone.
func (w *writerGenerated) putTag(n int, tag uint64) int {
	size := sovGenerated(tag)
	if i := len(w.data) - n; i >= size {
		encodeVarintGenerated(w.data, i, tag)
	}
	return n + size
}

// putString writes v, its length and its tag.
func (w *writerGenerated) putString(n int, tag uint64, v string) int {
	n += len(v)
	i := len(w.data) - n
	if i < 2 || tag >= 0x80 || len(v) >= 0x80 {
		if i >= 0 {
			copy(w.data[i:], v)
		}
		return w.putNumber(n, tag, uint64(len(v)))
	}
	field := w.data[i-2:]
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

// putBytes writes v, its length and its tag.
func (w *writerGenerated) putBytes(n int, tag uint64, v []byte) int {
	n += len(v)
	if i := len(w.data) - n; i >= 0 {
		copy(w.data[i:], v)
	}
	return w.putNumber(n, tag, uint64(len(v)))
}

// close writes the tag and the length of what was written since before.
func (w *writerGenerated) close(n int, tag uint64, before int) int {
	return w.putNumber(n, tag, uint64(n-before))
}

// putOther writes a message that has size bytes by its own method, and its tag.
func (w *writerGenerated) putOther(n int, tag uint64, size int, marshal func([]byte) (int, error)) int {
	if free := len(w.data) - n; free >= size {
		written, err := marshal(w.data[:free])
		if err != nil && w.err == nil {
			w.err = err
		}
		size = written
	}
	return w.putNumber(n+size, tag, uint64(size))
}

// putTime writes a time and its tag. Parts of a second are not kept.
func (w *writerGenerated) putTime(n int, tag uint64, t *metav1.Time) int {
	before := n
	if t != nil && !t.IsZero() {
		n = w.putNumber(n, 2<<3, 0)
		n = w.putNumber(n, 1<<3, uint64(t.Unix()))
	}
	return w.close(n, tag, before)
}

// putQuantity writes a quantity and its tag. It works on a copy, because a quantity keeps the text that is made of it.
func (w *writerGenerated) putQuantity(n int, tag uint64, q resource.Quantity) int {
	return w.close(w.putString(n, 1<<3|bytesGenerated, q.String()), tag, n)
}

// putTextMapGenerated writes a map of strings, sorted by key: a message has one form only.
func putTextMapGenerated[K, V ~string](w *writerGenerated, n int, tag uint64, m map[K]V) int {
	if len(m) == 1 {
		for k, v := range m {
			n = putTextEntryGenerated(w, n, tag, k, v)
		}
		return n
	}
	var room [8]K
	keys := sortedKeysGenerated(room[:0], m)
	for k := len(keys) - 1; k >= 0; k-- {
		n = putTextEntryGenerated(w, n, tag, keys[k], m[keys[k]])
	}
	return n
}

func putTextEntryGenerated[K, V ~string](w *writerGenerated, n int, tag uint64, k K, v V) int {
	before := n
	n = w.putString(n, 2<<3|bytesGenerated, string(v))
	n = w.putString(n, 1<<3|bytesGenerated, string(k))
	return w.close(n, tag, before)
}
