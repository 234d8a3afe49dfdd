package wirecode

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readerGenerated is what the reading of one object has in common. Things that objects have many of come from slabs.
type readerGenerated struct {
	shared bool // strings are parts of the input
	depth  int  // of messages that can hold themselves

	bools   slabGenerated[bool]
	int32s  slabGenerated[int32]
	strings slabGenerated[string]
}

// slabGenerated allocates values of one type together: few at first, then more, up to 1 KiB. It is those that are
// free; its capacity is how many were allocated last.
type slabGenerated[T any] []T

// next is a new value.
func (s *slabGenerated[T]) next() *T {
	if len(*s) == 0 {
		s.refill()
	}
	last := len(*s) - 1
	v := &(*s)[last]
	*s = (*s)[:last]
	return v
}

// list is an empty list with room for n values, and for no more.
func (s *slabGenerated[T]) list(n int) []T {
	if n > len(*s) {
		if s.refill(); n > len(*s) {
			return make([]T, 0, n)
		}
	}
	last := len(*s)
	v := (*s)[last-n : last-n : last]
	*s = (*s)[:last-n]
	return v
}

func (s *slabGenerated[T]) refill() {
	var v T
	size := max(1, int(unsafe.Sizeof(v)))
	*s = make([]T, max(1, 32/size, min(2*cap(*s), 1024/size)))
}

// longTagGenerated reads the tag at data[i], of more than one byte; it is 0 if there is none. Of a field's number
// only 32 bits count.
func longTagGenerated(data []byte, i int) (tag uint64, next int) {
	if i+1 < len(data) && data[i+1] < 0x80 {
		return uint64(data[i]&0x7f) | uint64(data[i+1])<<7, i + 2
	}
	tag, next, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, i
	}
	return tag & (1<<35 - 1), next
}

// otherGenerated passes over the field at data[i], which the message does not know.
func otherGenerated(message string, data []byte, i int) (next int, err error) {
	tag, _, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, err
	}
	switch number := int32(tag >> 3); {
	case tag&7 == endGroupGenerated:
		return 0, fmt.Errorf("proto: %s: wiretype end group for non-group", message)
	case number <= 0:
		return 0, fmt.Errorf("proto: %s: illegal tag %d (wire type %d)", message, number, tag)
	}
	return skipFromGenerated(data, i, len(data))
}

// errWireGenerated says that a field is not written as its type asks for.
var errWireGenerated = errors.New("proto: wrong wire type")

// explainGenerated returns err, or for errWireGenerated one that names the field: fields are "Name 1,Size 2".
func explainGenerated(err error, message string, tag uint64, fields string) error {
	if err != errWireGenerated {
		return err
	}
	if tag&7 == endGroupGenerated {
		return fmt.Errorf("proto: %s: wiretype end group for non-group", message)
	}
	for field := range strings.SplitSeq(fields, ",") {
		if name, number, _ := strings.Cut(field, " "); number == strconv.FormatUint(tag>>3, 10) {
			return fmt.Errorf("proto: wrong wireType = %d for field %s", tag&7, name)
		}
	}
	return err
}

// skipFromGenerated passes over the field whose tag is at data[i] and returns what comes after it, at most end.
func skipFromGenerated(data []byte, i, end int) (next int, err error) {
	n, err := skipGenerated(data[i:])
	if err != nil {
		return 0, err
	}
	if n > end-i {
		return 0, io.ErrUnexpectedEOF
	}
	return i + n, nil
}

// bodyGenerated reads the length at data[i] and what it is of, which stays a part of data.
func bodyGenerated(data []byte, i int, tag uint64) (body []byte, next int, err error) {
	if tag&7 != bytesGenerated {
		return nil, 0, errWireGenerated
	}
	if i < len(data) && data[i] < 0x80 {
		next = i + 1 + int(data[i])
		if next <= len(data) {
			return data[i+1 : next], next, nil
		}
	}
	return readBytesGenerated(data, i)
}

// textGenerated reads a string.
func textGenerated[S ~string](r *readerGenerated, data []byte, i int, tag uint64, to *S) (next int, err error) {
	if tag&7 != bytesGenerated {
		return 0, errWireGenerated
	}
	var size int
	if i < len(data) && data[i] < 0x80 {
		size = int(data[i])
		i++
	} else if size, i, err = sizeOfGenerated(data, i); err != nil {
		return 0, err
	}
	next = i + size
	if next > len(data) {
		return 0, io.ErrUnexpectedEOF
	}
	switch {
	case size == 0: // keeps nothing of the input
		*to = ""
	case r.shared:
		*to = S(unsafe.String(&data[i], size))
	default:
		*to = S(data[i:next])
	}
	return next, nil
}

// stringGenerated is body as a string.
func stringGenerated(r *readerGenerated, body []byte) string {
	if r.shared && len(body) > 0 {
		return unsafe.String(&body[0], len(body))
	}
	return string(body)
}

// copyGenerated reads bytes. They are a copy: whoever changes them changes nothing else.
func copyGenerated[B ~[]byte](data []byte, i int, tag uint64, to *B) (next int, err error) {
	body, next, err := bodyGenerated(data, i, tag)
	if err != nil {
		return 0, err
	}
	*to = append(make(B, 0, len(body)), body...)
	return next, nil
}

// numberGenerated reads a number that is written as a varint.
func numberGenerated[N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr](data []byte, i int, tag uint64, to *N) (next int, err error) {
	if tag&7 != varintGenerated {
		return 0, errWireGenerated
	}
	if i < len(data) && data[i] < 0x80 {
		*to = N(data[i])
		return i + 1, nil
	}
	v, next, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, err
	}
	*to = N(v)
	return next, nil
}

// boolGenerated reads a bool.
func boolGenerated[B ~bool](data []byte, i int, tag uint64, to *B) (next int, err error) {
	if tag&7 != varintGenerated {
		return 0, errWireGenerated
	}
	v, next, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, err
	}
	*to = v != 0
	return next, nil
}

// growGenerated adds an empty element to a list. A list without room gets as much as it needs for all elements that
// stand one after the other: data starts after this one.
func growGenerated[L ~[]T, T any](list *L, data []byte, tag uint64) *T {
	n := len(*list)
	if n < cap(*list) {
		*list = (*list)[:n+1]
		clear((*list)[n:])
		return &(*list)[n]
	}
	more := make(L, n+1, n+max(n, 1+followingGenerated(data, tag)))
	copy(more, *list)
	*list = more
	return &more[n]
}

// growFromGenerated is growGenerated for lists that are often short, which get their room from a slab.
func growFromGenerated[L ~[]T, T any](slab *slabGenerated[T], list *L, data []byte, tag uint64) *T {
	if cap(*list) > 0 {
		return growGenerated(list, data, tag)
	}
	*list = slab.list(1 + followingGenerated(data, tag))[:1]
	return &(*list)[0]
}

// textsGenerated reads a string and adds it to a list.
func textsGenerated[L ~[]S, S ~string](r *readerGenerated, data []byte, i int, tag uint64, to *L) (next int, err error) {
	var text S
	if next, err = textGenerated(r, data, i, tag, &text); err != nil {
		return 0, err
	}
	if cap(*to) == 0 {
		room := r.strings.list(1 + followingGenerated(data[next:], tag))
		*to = unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(room))), cap(room))[:0]
	}
	*to = append(*to, text)
	return next, nil
}

// followingGenerated counts the fields that data starts with and that have this tag.
func followingGenerated(data []byte, tag uint64) (n int) {
	if len(data) == 0 || data[0]&0x7f != byte(tag&0x7f) {
		return 0
	}
	for i := 0; i < len(data); n++ {
		next, at, err := readVarintGenerated(data, i)
		if err != nil || next != tag {
			return n
		}
		if tag&7 == bytesGenerated {
			_, i, err = readBytesGenerated(data, at)
		} else {
			_, i, err = readNumberGenerated(data, at, int(tag&7))
		}
		if err != nil {
			return n
		}
	}
	return n
}

// entriesGenerated is how much room a new map gets: for this entry and for those that follow, which may be the same
// ones over and over, so there is a limit.
func entriesGenerated(data []byte, tag uint64) int {
	return min(1+followingGenerated(data, tag), 1000)
}

// textMapGenerated reads one entry of a map of strings.
func textMapGenerated[M ~map[K]V, K, V ~string](r *readerGenerated, data []byte, i int, tag uint64, to *M) (next int, err error) {
	body, next, err := bodyGenerated(data, i, tag)
	if err != nil {
		return 0, err
	}
	if *to == nil {
		*to = make(M, entriesGenerated(data[next:], tag))
	}
	var key K
	var value V
	for at := 0; at < len(body); {
		switch body[at] {
		case 1<<3 | bytesGenerated:
			at, err = textGenerated(r, body, at+1, bytesGenerated, &key)
		case 2<<3 | bytesGenerated:
			at, err = textGenerated(r, body, at+1, bytesGenerated, &value)
		default:
			var part int32
			var text []byte
			part, _, text, at, err = entryGenerated(body, at, len(body), bytesGenerated, bytesGenerated)
			switch part {
			case 1:
				key = K(stringGenerated(r, text))
			case 2:
				value = V(stringGenerated(r, text))
			}
		}
		if err != nil {
			return 0, err
		}
	}
	(*to)[key] = value
	return next, nil
}

// timeGenerated reads a time, of which whole seconds are kept.
func timeGenerated(data []byte, to *metav1.Time) error {
	if len(data) > 2 && data[0] == 1<<3 {
		seconds, i, err := readVarintGenerated(data, 1)
		if err == nil && i+2 == len(data) && data[i] == 2<<3 && data[i+1] < 0x80 {
			to.Time = time.Unix(int64(seconds), 0)
			return nil
		}
	}
	return to.Unmarshal(data)
}

// quantityGenerated reads a quantity, which remembers how it was written.
func quantityGenerated(r *readerGenerated, data []byte, to *resource.Quantity) error {
	if len(data) < 2 || data[0] != 1<<3|bytesGenerated || int(data[1]) != len(data)-2 {
		return to.Unmarshal(data)
	}
	q, err := resource.ParseQuantity(stringGenerated(r, data[2:]))
	if err != nil {
		return err
	}
	*to = q
	return nil
}

// float64Generated reads a float64.
func float64Generated[F ~float64](data []byte, i int, tag uint64, to *F) (next int, err error) {
	if tag&7 != fixed64Generated {
		return 0, errWireGenerated
	}
	v, next, err := readNumberGenerated(data, i, fixed64Generated)
	*to = F(math.Float64frombits(v))
	return next, err
}

// float32Generated reads a float32.
func float32Generated[F ~float32](data []byte, i int, tag uint64, to *F) (next int, err error) {
	if tag&7 != fixed32Generated {
		return 0, errWireGenerated
	}
	v, next, err := readNumberGenerated(data, i, fixed32Generated)
	*to = F(math.Float32frombits(uint32(v)))
	return next, err
}

// packedNumbersGenerated reads numbers that stand one after the other without tags.
func packedNumbersGenerated[L ~[]N, N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr](data []byte, i int, to *L) (next int, err error) {
	return packedGenerated(data, i, varintGenerated, to, numberGenerated[N])
}

// packedBoolsGenerated reads bools that stand one after the other without tags.
func packedBoolsGenerated[L ~[]B, B ~bool](data []byte, i int, to *L) (next int, err error) {
	return packedGenerated(data, i, varintGenerated, to, boolGenerated[B])
}

// packedFloat64sGenerated reads float64s that stand one after the other without tags.
func packedFloat64sGenerated[L ~[]F, F ~float64](data []byte, i int, to *L) (next int, err error) {
	return packedGenerated(data, i, fixed64Generated, to, float64Generated[F])
}

// packedFloat32sGenerated reads float32s that stand one after the other without tags.
func packedFloat32sGenerated[L ~[]F, F ~float32](data []byte, i int, to *L) (next int, err error) {
	return packedGenerated(data, i, fixed32Generated, to, float32Generated[F])
}

// packedGenerated reads the values of a list that stand one after the other without tags.
func packedGenerated[L ~[]T, T any](data []byte, i int, wire uint64, to *L, read func([]byte, int, uint64, *T) (int, error)) (next int, err error) {
	body, next, err := readBytesGenerated(data, i)
	if err != nil {
		return 0, err
	}
	for at := 0; at < len(body); {
		var v T
		if at, err = read(body, at, wire, &v); err != nil {
			return 0, err
		}
		*to = append(*to, v)
	}
	return next, nil
}
