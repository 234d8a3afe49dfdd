//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"math"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// textGenerated is a field that is a string.
func textGenerated[S ~string](t *typeGenerated, number int, to *S) {
	t.field(number, unsafe.Pointer(to), textWayGenerated<<4|bytesGenerated, nil)
}

// textPointerGenerated is a pointer to a string.
func textPointerGenerated[S ~string](t *typeGenerated, number int, to **S) {
	t.field(number, unsafe.Pointer(to), textPointerWayGenerated<<4|bytesGenerated, nil)
}

// textsGenerated is a list of strings.
func textsGenerated[L ~[]S, S ~string](t *typeGenerated, number int, to *L) {
	t.field(number, unsafe.Pointer(to), textsWayGenerated<<4|bytesGenerated, nil)
}

// bytesOfGenerated is a field that is bytes. They are copied: whoever changes them changes nothing else.
func bytesOfGenerated[B ~[]byte](t *typeGenerated, number int, to *B) {
	t.field(number, unsafe.Pointer(to), bytesWayGenerated<<4|bytesGenerated, nil)
}

// copyGenerated reads bytes that are an item of a list.
func copyGenerated[B ~[]byte](to *B, body []byte, _ bool) error {
	*to = append(make(B, 0, len(body)), body...)
	return nil
}

// integerGenerated is what is written as a varint.
type integerGenerated interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr
}

// numberGenerated is a field that is an integer.
func numberGenerated[N integerGenerated](t *typeGenerated, number int, to *N) {
	form := formGenerated(wordWayGenerated<<4 | varintGenerated)
	if unsafe.Sizeof(*to) == 4 {
		form = halfWayGenerated<<4 | varintGenerated
	}
	t.field(number, unsafe.Pointer(to), form, nil)
}

// numberPointerGenerated is a pointer to an integer.
func numberPointerGenerated[N integerGenerated](t *typeGenerated, number int, to **N) {
	form := formGenerated(wordPointerWayGenerated<<4 | varintGenerated)
	if unsafe.Sizeof(**to) == 4 {
		form = halfPointerWayGenerated<<4 | varintGenerated
	}
	t.field(number, unsafe.Pointer(to), form, nil)
}

// numbersGenerated is a list of integers.
func numbersGenerated[L ~[]N, N integerGenerated](t *typeGenerated, number int, to *L) {
	addedGenerated(t, number, to, varintGenerated, func(v uint64) N { return N(v) })
}

// addedGenerated is a list of something that is written as a number.
func addedGenerated[L ~[]N, N any](t *typeGenerated, number int, to *L, wire formGenerated, value func(uint64) N) {
	of := &typeGenerated{add: func(list unsafe.Pointer, v uint64) { *(*L)(list) = append(*(*L)(list), value(v)) }}
	t.field(number, unsafe.Pointer(to), numbersWayGenerated<<4|wire, of)
}

// boolGenerated is a field that is a bool.
func boolGenerated[B ~bool](t *typeGenerated, number int, to *B) {
	t.field(number, unsafe.Pointer(to), boolWayGenerated<<4|varintGenerated, nil)
}

// boolPointerGenerated is a pointer to a bool.
func boolPointerGenerated[B ~bool](t *typeGenerated, number int, to **B) {
	t.field(number, unsafe.Pointer(to), boolPointerWayGenerated<<4|varintGenerated, nil)
}

// boolsGenerated is a list of bools.
func boolsGenerated[L ~[]B, B ~bool](t *typeGenerated, number int, to *L) {
	addedGenerated(t, number, to, varintGenerated, func(v uint64) B { return v != 0 })
}

// float64Generated is a field that is a float64.
func float64Generated[F ~float64](t *typeGenerated, number int, to *F) {
	t.field(number, unsafe.Pointer(to), wordWayGenerated<<4|fixed64Generated, nil)
}

// float64PointerGenerated is a pointer to a float64.
func float64PointerGenerated[F ~float64](t *typeGenerated, number int, to **F) {
	t.field(number, unsafe.Pointer(to), wordPointerWayGenerated<<4|fixed64Generated, nil)
}

// float64sGenerated is a list of float64s.
func float64sGenerated[L ~[]F, F ~float64](t *typeGenerated, number int, to *L) {
	addedGenerated(t, number, to, fixed64Generated, func(v uint64) F { return F(math.Float64frombits(v)) })
}

// float32Generated is a field that is a float32.
func float32Generated[F ~float32](t *typeGenerated, number int, to *F) {
	t.field(number, unsafe.Pointer(to), halfWayGenerated<<4|fixed32Generated, nil)
}

// float32PointerGenerated is a pointer to a float32.
func float32PointerGenerated[F ~float32](t *typeGenerated, number int, to **F) {
	t.field(number, unsafe.Pointer(to), halfPointerWayGenerated<<4|fixed32Generated, nil)
}

// float32sGenerated is a list of float32s.
func float32sGenerated[L ~[]F, F ~float32](t *typeGenerated, number int, to *L) {
	addedGenerated(t, number, to, fixed32Generated, func(v uint64) F { return F(math.Float32frombits(uint32(v))) })
}

// messageGenerated is a field that is a message.
func messageGenerated[T any](t *typeGenerated, number int, to *T, of *typeOfGenerated[T]) {
	t.field(number, unsafe.Pointer(to), messageWayGenerated<<4|bytesGenerated, &of.typeGenerated)
}

// pointerGenerated is a pointer to a message.
func pointerGenerated[T any](t *typeGenerated, number int, to **T, of *typeOfGenerated[T]) {
	t.field(number, unsafe.Pointer(to), pointerWayGenerated<<4|bytesGenerated, &of.typeGenerated)
}

// itemsGenerated is a list of messages.
func itemsGenerated[L ~[]T, T any](t *typeGenerated, number int, to *L, of *typeOfGenerated[T]) {
	t.field(number, unsafe.Pointer(to), itemsWayGenerated<<4|bytesGenerated, &of.typeGenerated)
}

// pointersGenerated is a list of pointers to messages.
func pointersGenerated[L ~[]*T, T any](t *typeGenerated, number int, to *L, of *typeOfGenerated[T]) {
	t.field(number, unsafe.Pointer(to), pointersWayGenerated<<4|bytesGenerated, &of.typeGenerated)
}

// methodsGenerated reads a message by its own method.
func methodsGenerated[T any, M interface {
	*T
	Unmarshal([]byte) error
}](to *T, body []byte, _ bool) error {
	return M(to).Unmarshal(body)
}

// eitherGenerated reads a message by a function that does not copy strings, or else by its own method.
func eitherGenerated[T any, M interface {
	*T
	Unmarshal([]byte) error
}](sharing func([]byte, *T) error) func(to *T, body []byte, shared bool) error {
	return func(to *T, body []byte, shared bool) error {
		if shared {
			return sharing(body, to)
		}
		return M(to).Unmarshal(body)
	}
}

// timeGenerated builds the type of times, of which whole seconds are kept.
func timeGenerated(t *typeOfGenerated[metav1.Time]) *typeOfGenerated[metav1.Time] {
	if !t.built {
		var m metav1.Time
		withGenerated(t, methodsGenerated)
		t.seconds = unsafe.Pointer(&m.Time) == unsafe.Pointer(&m)
	}
	return t
}

// quantityGenerated reads a quantity, which remembers how it was written.
func quantityGenerated(to *resource.Quantity, body []byte, shared bool) (err error) {
	if len(body) < 3 || body[0] != 1<<3|bytesGenerated || int(body[1]) != len(body)-2 || !shared {
		return to.Unmarshal(body)
	}
	*to, err = resource.ParseQuantity(unsafe.String(&body[2], len(body)-2))
	return err
}

// fieldSetGenerated reads a set of fields. Nobody may change its bytes in place, says FieldsV1, so they are a part of what is read
// where strings are.
func fieldSetGenerated(to *metav1.FieldsV1, body []byte, shared bool) error {
	if !shared || fieldSetFormGenerated == 0 || len(body) == 0 || body[0] != 1<<3|bytesGenerated {
		return to.Unmarshal(body)
	}
	set, end, err := readBytesGenerated(body, 1)
	switch {
	case err != nil || end != len(body) || len(set) == 0:
		return to.Unmarshal(body)
	case fieldSetFormGenerated == reflect.String:
		*(*string)(unsafe.Pointer(to)) = unsafe.String(&set[0], len(set))
	default:
		*(*[]byte)(unsafe.Pointer(to)) = set[:len(set):len(set)]
	}
	return nil
}

// fieldSetFormGenerated is what FieldsV1 consists of: bytes, or a string if the program is built with the tag
// fieldsv1string; 0 if it should be something else one day.
var fieldSetFormGenerated = func() reflect.Kind {
	t := reflect.TypeFor[metav1.FieldsV1]()
	if t.Kind() != reflect.Struct || t.NumField() != 1 {
		return 0
	}
	switch of := t.Field(0).Type; {
	case of.Kind() == reflect.String:
		return reflect.String
	case of == reflect.TypeFor[[]byte]():
		return reflect.Slice
	}
	return 0
}()
