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
// written. What is in data[i:] has been written.
type writerGenerated struct {
	data    []byte
	i       int
	err     error
	scratch *[]byte // to be given back
}

// scratchGenerated are buffers that are written to before their content is copied to where it is kept.
var scratchGenerated = sync.Pool{New: func() any {
	b := make([]byte, 4<<10)
	return &b
}}

// startGenerated is a writer that has room for everything.
func startGenerated() writerGenerated {
	scratch := scratchGenerated.Get().(*[]byte)
	return writerGenerated{data: *scratch, i: len(*scratch), scratch: scratch}
}

// finish returns a copy of what was written. The buffer is given back, unless it has become large.
func (w *writerGenerated) finish() ([]byte, error) {
	written := w.data[w.i:]
	out := make([]byte, len(written))
	copy(out, written)
	if len(w.data) <= 256<<10 {
		*w.scratch = w.data
	}
	scratchGenerated.Put(w.scratch)
	if w.err != nil {
		return nil, w.err
	}
	return out, nil
}

// fit returns how much was written at the end of data, which is all that the writer had.
func (w *writerGenerated) fit(data []byte) (int, error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case len(w.data) != len(data):
		return 0, io.ErrShortBuffer
	}
	return len(data) - w.i, nil
}

// room returns what is free before data[i]: at least n bytes.
func (w *writerGenerated) room(n int) []byte {
	if w.i < n {
		data := make([]byte, 2*len(w.data)+n)
		w.i += len(data) - len(w.data)
		copy(data[w.i:], w.data[len(w.data)-(len(data)-w.i):])
		w.data = data
	}
	return w.data[:w.i]
}

// written is how much was written so far.
func (w *writerGenerated) written() int { return len(w.data) - w.i }

// putTag writes a tag, or another number.
func (w *writerGenerated) putTag(v uint64) {
	if v < 0x80 && w.i > 0 {
		w.i--
		w.data[w.i] = byte(v)
		return
	}
	w.room(sovGenerated(v))
	w.i = encodeVarintGenerated(w.data, w.i, v)
}

// putNumber writes a number and its tag.
func (w *writerGenerated) putNumber(tag, v uint64) {
	if v < 0x80 && tag < 1<<14 && w.i > 2 {
		w.i = headGenerated(w.data[:w.i], tag, int(v))
		return
	}
	w.putTag(v)
	w.putTag(tag)
}

// putBool writes a bool and its tag.
func (w *writerGenerated) putBool(tag uint64, v bool) {
	var number uint64
	if v {
		number = 1
	}
	w.putNumber(tag, number)
}

// putFloat64 writes v and its tag.
func (w *writerGenerated) putFloat64(tag uint64, v float64) {
	w.room(8)
	w.i -= 8
	binary.LittleEndian.PutUint64(w.data[w.i:], math.Float64bits(v))
	w.putTag(tag)
}

// putFloat32 writes v and its tag.
func (w *writerGenerated) putFloat32(tag uint64, v float32) {
	w.room(4)
	w.i -= 4
	binary.LittleEndian.PutUint32(w.data[w.i:], math.Float32bits(v))
	w.putTag(tag)
}

// putString writes v, its length and its tag.
func (w *writerGenerated) putString(tag uint64, v string) {
	i := w.i - len(v)
	if i < 3 || len(v) >= 0x80 || tag >= 1<<14 {
		w.room(len(v))
		w.i -= len(v)
		copy(w.data[w.i:], v)
		w.putNumber(tag, uint64(len(v)))
		return
	}
	if len(v) > 0 { // many fields of a typical object are empty
		copy(w.data[i:], v)
	}
	w.i = headGenerated(w.data[:i], tag, len(v))
}

// headGenerated writes a short length and tag at the end of data, which has room for them, and returns where they start.
func headGenerated(data []byte, tag uint64, size int) int {
	data[len(data)-1] = byte(size)
	if tag < 0x80 {
		data[len(data)-2] = byte(tag)
		return len(data) - 2
	}
	data[len(data)-2] = byte(tag >> 7)
	data[len(data)-3] = byte(tag) | 0x80
	return len(data) - 3
}

// putBytes writes v, its length and its tag.
func (w *writerGenerated) putBytes(tag uint64, v []byte) {
	w.room(len(v))
	w.i -= len(v)
	copy(w.data[w.i:], v)
	w.putNumber(tag, uint64(len(v)))
}

// close writes the tag and the length of what was written since before.
func (w *writerGenerated) close(tag uint64, before int) {
	size := len(w.data) - w.i - before
	if w.i < 3 || size >= 0x80 || tag >= 1<<14 {
		w.putNumber(tag, uint64(size))
		return
	}
	w.i = headGenerated(w.data[:w.i], tag, size)
}

// closeOther is close for n bytes that another method has written into room.
func (w *writerGenerated) closeOther(tag uint64, n int, err error) {
	if err != nil && w.err == nil {
		w.err = err
	}
	w.i -= n
	w.putNumber(tag, uint64(n))
}

// putTime writes a time and its tag. Parts of a second are not kept.
func (w *writerGenerated) putTime(tag uint64, t *metav1.Time) {
	before := w.written()
	if t != nil && !t.IsZero() {
		w.putNumber(2<<3, 0)
		w.putNumber(1<<3, uint64(t.Unix()))
	}
	w.close(tag, before)
}

// putQuantity writes a quantity and its tag. It works on a copy, because a quantity keeps the text that is made of it.
func (w *writerGenerated) putQuantity(tag uint64, q resource.Quantity) {
	before := w.written()
	w.putString(1<<3|bytesGenerated, q.String())
	w.close(tag, before)
}

// putTextMapGenerated writes a map of strings, sorted by key: a message has one form only.
func putTextMapGenerated[K, V ~string](w *writerGenerated, tag uint64, m map[K]V) {
	if len(m) == 1 {
		for k, v := range m {
			putTextEntryGenerated(w, tag, k, v)
		}
		return
	}
	var room [8]K
	keys := sortedKeysGenerated(room[:0], m)
	for k := len(keys) - 1; k >= 0; k-- {
		putTextEntryGenerated(w, tag, keys[k], m[keys[k]])
	}
}

func putTextEntryGenerated[K, V ~string](w *writerGenerated, tag uint64, k K, v V) {
	before := w.written()
	w.putString(2<<3|bytesGenerated, string(v))
	w.putString(1<<3|bytesGenerated, string(k))
	w.close(tag, before)
}
