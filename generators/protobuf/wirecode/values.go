//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"encoding/binary"
	"io"
	"math"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// textGenerated reads a string.
func textGenerated[S ~string](r *readerGenerated, to *S) {
	data, i := r.data[:r.end], r.i
	var size int
	if i < len(data) && data[i] < 0x80 && r.tag&7 == bytesGenerated && int(data[i]) < len(data)-i {
		size = int(data[i])
		i++
	} else {
		size = r.length()
		i = r.i
	}
	r.i = i + size
	switch {
	case size == 0: // keeps nothing of the input
		*to = ""
	case r.shared:
		*to = S(unsafe.String(&r.data[i], size))
	default:
		*to = S(r.data[i:r.i])
	}
}

// textsGenerated reads a string and adds it to a list.
func textsGenerated[L ~[]S, S ~string](r *readerGenerated, to *L) {
	var text S
	textGenerated(r, &text)
	if cap(*to) == 0 {
		room := r.strings.listOf(1 + r.following(r.i, r.end))
		*to = unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(room))), cap(room))[:0]
	}
	*to = append(*to, text)
}

// textMapGenerated reads one entry of a map of strings.
func textMapGenerated[M ~map[K]V, K, V ~string](r *readerGenerated, to *M) {
	stop := r.entry()
	if *to == nil {
		*to = make(M, r.entries(stop))
	}
	if key, value, ok := shortEntryGenerated(r.data[r.i:stop]); ok {
		(*to)[K(r.text(key))] = V(r.text(value))
		r.i = stop
		return
	}
	var key K
	var value V
	for r.part(stop) {
		switch r.tag >> 3 {
		case 1:
			r.tag = bytesGenerated
			textGenerated(r, &key)
		case 2:
			r.tag = bytesGenerated
			textGenerated(r, &value)
		default:
			r.skip(stop)
		}
	}
	(*to)[key] = value
}

// shortEntryGenerated splits an entry that holds a key and a value of less than 128 bytes and nothing else, as nearly
// all do.
func shortEntryGenerated(entry []byte) (key, value []byte, ok bool) {
	if len(entry) < 4 || entry[0] != 1<<3|bytesGenerated {
		return nil, nil, false
	}
	at := 2 + int(entry[1])
	if at+2 > len(entry) || entry[1] >= 0x80 || entry[at] != 2<<3|bytesGenerated || entry[at+1] >= 0x80 || at+2+int(entry[at+1]) != len(entry) {
		return nil, nil, false
	}
	return entry[2:at], entry[at+2:], true
}

// text is body as a string, which is a part of data if strings are. An empty one keeps nothing of the input.
func (r *readerGenerated) text(body []byte) string {
	switch {
	case len(body) == 0:
		return ""
	case r.shared:
		return unsafe.String(&body[0], len(body))
	}
	return string(body)
}

// copyGenerated reads bytes. They are a copy: whoever changes them changes nothing else.
func copyGenerated[B ~[]byte](r *readerGenerated, to *B) {
	size := r.length()
	i := r.i
	r.i += size
	*to = append(make(B, 0, size), r.data[i:r.i]...)
}

// numberGenerated reads a number that is written as a varint.
func numberGenerated[N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr](r *readerGenerated, to *N) {
	if i := r.i; i < r.end && r.data[i] < 0x80 && r.tag&7 == varintGenerated {
		*to = N(r.data[i])
		r.i++
	} else if r.is(varintGenerated) {
		*to = N(r.varint())
	}
}

// boolGenerated reads a bool.
func boolGenerated[B ~bool](r *readerGenerated, to *B) {
	var v uint64
	numberGenerated(r, &v)
	*to = v != 0
}

// float64Generated reads a float64.
func float64Generated[F ~float64](r *readerGenerated, to *F) {
	if !r.is(fixed64Generated) {
		return
	}
	if r.end-r.i < 8 {
		r.fail(io.ErrUnexpectedEOF)
		return
	}
	*to = F(math.Float64frombits(binary.LittleEndian.Uint64(r.data[r.i:])))
	r.i += 8
}

// float32Generated reads a float32.
func float32Generated[F ~float32](r *readerGenerated, to *F) {
	if !r.is(fixed32Generated) {
		return
	}
	if r.end-r.i < 4 {
		r.fail(io.ErrUnexpectedEOF)
		return
	}
	*to = F(math.Float32frombits(binary.LittleEndian.Uint32(r.data[r.i:])))
	r.i += 4
}

// numbersGenerated reads a number and adds it to a list, or several that stand one after the other without tags.
func numbersGenerated[L ~[]N, N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr](r *readerGenerated, to *L) {
	var v N
	if r.tag&7 != bytesGenerated {
		numberGenerated(r, &v)
		*to = append(*to, v)
		return
	}
	end := r.enter()
	for r.tag = varintGenerated; r.i < r.end; {
		numberGenerated(r, &v)
		*to = append(*to, v)
	}
	r.end = end
}

// boolsGenerated reads a bool and adds it to a list, or several that stand one after the other without tags.
func boolsGenerated[L ~[]B, B ~bool](r *readerGenerated, to *L) {
	var v B
	if r.tag&7 != bytesGenerated {
		boolGenerated(r, &v)
		*to = append(*to, v)
		return
	}
	end := r.enter()
	for r.tag = varintGenerated; r.i < r.end; {
		boolGenerated(r, &v)
		*to = append(*to, v)
	}
	r.end = end
}

// float64sGenerated reads a float64 and adds it to a list, or several that stand one after the other without tags.
func float64sGenerated[L ~[]F, F ~float64](r *readerGenerated, to *L) {
	var v F
	if r.tag&7 != bytesGenerated {
		float64Generated(r, &v)
		*to = append(*to, v)
		return
	}
	end := r.enter()
	for r.tag = fixed64Generated; r.i < r.end; {
		float64Generated(r, &v)
		*to = append(*to, v)
	}
	r.end = end
}

// float32sGenerated reads a float32 and adds it to a list, or several that stand one after the other without tags.
func float32sGenerated[L ~[]F, F ~float32](r *readerGenerated, to *L) {
	var v F
	if r.tag&7 != bytesGenerated {
		float32Generated(r, &v)
		*to = append(*to, v)
		return
	}
	end := r.enter()
	for r.tag = fixed32Generated; r.i < r.end; {
		float32Generated(r, &v)
		*to = append(*to, v)
	}
	r.end = end
}

// timeGenerated reads the time that was entered, of which whole seconds are kept.
func timeGenerated(r *readerGenerated, to *metav1.Time) {
	body := r.rest()
	if len(body) > 2 && body[0] == 1<<3 {
		seconds, i, err := readVarintGenerated(body, 1)
		if err == nil && i+2 == len(body) && body[i] == 2<<3 && body[i+1] < 0x80 {
			to.Time = time.Unix(int64(seconds), 0)
			return
		}
	}
	r.check(to.Unmarshal(body))
}

// quantityGenerated reads the quantity that was entered, which remembers how it was written.
func quantityGenerated(r *readerGenerated, to *resource.Quantity) {
	body := r.rest()
	if len(body) < 3 || body[0] != 1<<3|bytesGenerated || int(body[1]) != len(body)-2 || !r.shared {
		r.check(to.Unmarshal(body))
		return
	}
	q, err := resource.ParseQuantity(unsafe.String(&body[2], len(body)-2))
	if err != nil {
		r.fail(err)
		return
	}
	*to = q
}
