package protobuf

import (
	"math"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Text is a field that is a string.
func Text[S ~string](t *Layout, number int, to *S) {
	t.field(number, unsafe.Pointer(to), textWay<<4|wireBytes, nil)
}

// TextPointer is a pointer to a string.
func TextPointer[S ~string](t *Layout, number int, to **S) {
	t.field(number, unsafe.Pointer(to), textPointerWay<<4|wireBytes, nil)
}

// Texts is a list of strings.
func Texts[L ~[]S, S ~string](t *Layout, number int, to *L) {
	t.field(number, unsafe.Pointer(to), textsWay<<4|wireBytes, nil)
}

// Bytes is a field that is bytes. They are copied: whoever changes them changes nothing else.
func Bytes[B ~[]byte](t *Layout, number int, to *B) {
	t.field(number, unsafe.Pointer(to), bytesWay<<4|wireBytes, nil)
}

// CopyBytes reads bytes that are an item of a list.
func CopyBytes[B ~[]byte](to *B, body []byte, _ bool) error {
	*to = append(make(B, 0, len(body)), body...)
	return nil
}

// integer is what is written as a varint.
type integer interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr
}

// Number is a field that is an integer.
func Number[N integer](t *Layout, number int, to *N) {
	form := fieldForm(wordWay<<4 | wireVarint)
	if unsafe.Sizeof(*to) == 4 {
		form = halfWay<<4 | wireVarint
	}
	t.field(number, unsafe.Pointer(to), form, nil)
}

// NumberPointer is a pointer to an integer.
func NumberPointer[N integer](t *Layout, number int, to **N) {
	form := fieldForm(wordPointerWay<<4 | wireVarint)
	if unsafe.Sizeof(**to) == 4 {
		form = halfPointerWay<<4 | wireVarint
	}
	t.field(number, unsafe.Pointer(to), form, nil)
}

// Numbers is a list of integers.
func Numbers[L ~[]N, N integer](t *Layout, number int, to *L) {
	added(t, number, to, wireVarint, func(v uint64) N { return N(v) })
}

// added is a list of something that is written as a number.
func added[L ~[]N, N any](t *Layout, number int, to *L, wire fieldForm, value func(uint64) N) {
	of := &Layout{add: func(list unsafe.Pointer, v uint64) { *(*L)(list) = append(*(*L)(list), value(v)) }}
	t.field(number, unsafe.Pointer(to), numbersWay<<4|wire, of)
}

// Bool is a field that is a bool.
func Bool[B ~bool](t *Layout, number int, to *B) {
	t.field(number, unsafe.Pointer(to), boolWay<<4|wireVarint, nil)
}

// BoolPointer is a pointer to a bool.
func BoolPointer[B ~bool](t *Layout, number int, to **B) {
	t.field(number, unsafe.Pointer(to), boolPointerWay<<4|wireVarint, nil)
}

// Bools is a list of bools.
func Bools[L ~[]B, B ~bool](t *Layout, number int, to *L) {
	added(t, number, to, wireVarint, func(v uint64) B { return v != 0 })
}

// Float64 is a field that is a float64.
func Float64[F ~float64](t *Layout, number int, to *F) {
	t.field(number, unsafe.Pointer(to), wordWay<<4|wireFixed64, nil)
}

// Float64Pointer is a pointer to a float64.
func Float64Pointer[F ~float64](t *Layout, number int, to **F) {
	t.field(number, unsafe.Pointer(to), wordPointerWay<<4|wireFixed64, nil)
}

// Float64s is a list of float64s.
func Float64s[L ~[]F, F ~float64](t *Layout, number int, to *L) {
	added(t, number, to, wireFixed64, func(v uint64) F { return F(math.Float64frombits(v)) })
}

// Float32 is a field that is a float32.
func Float32[F ~float32](t *Layout, number int, to *F) {
	t.field(number, unsafe.Pointer(to), halfWay<<4|wireFixed32, nil)
}

// Float32Pointer is a pointer to a float32.
func Float32Pointer[F ~float32](t *Layout, number int, to **F) {
	t.field(number, unsafe.Pointer(to), halfPointerWay<<4|wireFixed32, nil)
}

// Float32s is a list of float32s.
func Float32s[L ~[]F, F ~float32](t *Layout, number int, to *L) {
	added(t, number, to, wireFixed32, func(v uint64) F { return F(math.Float32frombits(uint32(v))) })
}

// Message is a field that is a message.
func Message[T any](t *Layout, number int, to *T, of *Type[T]) {
	t.field(number, unsafe.Pointer(to), messageWay<<4|wireBytes, &of.Layout)
}

// Pointer is a pointer to a message.
func Pointer[T any](t *Layout, number int, to **T, of *Type[T]) {
	t.field(number, unsafe.Pointer(to), pointerWay<<4|wireBytes, &of.Layout)
}

// Items is a list of messages.
func Items[L ~[]T, T any](t *Layout, number int, to *L, of *Type[T]) {
	t.field(number, unsafe.Pointer(to), itemsWay<<4|wireBytes, &of.Layout)
}

// Pointers is a list of pointers to messages.
func Pointers[L ~[]*T, T any](t *Layout, number int, to *L, of *Type[T]) {
	t.field(number, unsafe.Pointer(to), pointersWay<<4|wireBytes, &of.Layout)
}

// Methods reads a message by its own method.
func Methods[T any, M interface {
	*T
	Unmarshal([]byte) error
}](to *T, body []byte, _ bool) error {
	return M(to).Unmarshal(body)
}

// Either reads a message by a function that does not copy strings, or else by its own method.
func Either[T any, M interface {
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

// Time builds the type of times, of which whole seconds are kept.
func Time(t *Type[metav1.Time]) *Type[metav1.Time] {
	if !t.Layout.built {
		var m metav1.Time
		With(t, Methods)
		t.Layout.seconds = unsafe.Pointer(&m.Time) == unsafe.Pointer(&m)
	}
	return t
}

// Quantity reads a quantity, which remembers how it was written.
func Quantity(to *resource.Quantity, body []byte, shared bool) (err error) {
	if len(body) < 3 || body[0] != 1<<3|wireBytes || int(body[1]) != len(body)-2 || !shared {
		return to.Unmarshal(body)
	}
	*to, err = resource.ParseQuantity(unsafe.String(&body[2], len(body)-2))
	return err
}

// FieldSet reads a set of fields. Nobody may change its bytes in place, says FieldsV1, so they are
// a part of what is read where strings are.
func FieldSet(to *metav1.FieldsV1, body []byte, shared bool) error {
	if !shared || fieldSetForm == 0 || len(body) == 0 || body[0] != 1<<3|wireBytes {
		return to.Unmarshal(body)
	}
	set, end, err := readBytes(body, 1)
	switch {
	case err != nil || end != len(body) || len(set) == 0:
		return to.Unmarshal(body)
	case fieldSetForm == reflect.String:
		*(*string)(unsafe.Pointer(to)) = unsafe.String(&set[0], len(set))
	default:
		*(*[]byte)(unsafe.Pointer(to)) = set[:len(set):len(set)]
	}
	return nil
}

// fieldSetForm is what FieldsV1 consists of: bytes, or a string if the program is built with the
// tag fieldsv1string; 0 if it should be something else one day.
var fieldSetForm = func() reflect.Kind {
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
