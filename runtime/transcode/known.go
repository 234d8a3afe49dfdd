package transcode

import (
	"bytes"
	stdjson "encoding/json"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/json/apimachinery"
)

// Types of apimachinery whose JSON is not made of their fields.
var (
	FieldsV1     = Message{Decode: appendFieldsV1}
	Quantity     = Message{Decode: appendQuantity}
	IntOrString  = Message{Decode: appendIntOrString}
	MicroTime    = Message{Decode: appendMicroTime}
	Duration     = Message{Decode: appendDuration}
	RawExtension = Message{Decode: appendRawExtension}
)

// Decoded appends a message of a type that no table has a word for, by the methods that it has. It
// is a Message's Decode.
func Decoded[T any, P interface {
	*T
	Unmarshal(message []byte) error
}](dst, message []byte) ([]byte, error) {
	value := P(new(T))
	if err := value.Unmarshal(message); err != nil {
		return dst, err
	}
	data, err := stdjson.Marshal(value)
	return append(dst, data...), err
}

// timestamp reads the seconds and the nanoseconds of a Timestamp, which both are always there.
func timestamp(body []byte) (seconds, nanos int64, ok bool) {
	if len(body) < 4 || body[0] != 1<<3 {
		return 0, 0, false
	}
	s, i := varint(body, 1)
	if i < 0 || i+1 >= len(body) || body[i] != 2<<3 {
		return 0, 0, false
	}
	n, end := varint(body, i+1)
	return int64(s), int64(int32(n)), end == len(body)
}

// appendTime appends a time. A message without fields is the zero time, not the beginning of 1970.
func appendTime(dst, body []byte) ([]byte, error) {
	if len(body) == 0 {
		return append(dst, "null"...), nil
	}
	seconds, _, ok := timestamp(body)
	if !ok {
		return dst, errMalformed
	}
	return apimachinery.AppendSeconds(dst, seconds), nil
}

func appendMicroTime(dst, body []byte) ([]byte, error) {
	if len(body) == 0 {
		return append(dst, "null"...), nil
	}
	seconds, nanos, ok := timestamp(body)
	if !ok {
		return dst, errMalformed
	}
	t := metav1.MicroTime{Time: metav1.Unix(seconds, nanos).Time}
	return apimachinery.AppendJSON_MicroTime(dst, &t)
}

func appendDuration(dst, body []byte) ([]byte, error) {
	var d metav1.Duration
	tag, i := next(body, 0)
	switch tag {
	case endTag:
	case 1 << 3:
		v, end := varint(body, i)
		if end != len(body) {
			return dst, errMalformed
		}
		d.Duration = time.Duration(v)
	default:
		return dst, errForeign
	}
	return apimachinery.AppendJSON_Duration(dst, &d)
}

// only is the content of the only field of a message, which has this tag. What is empty need not be
// there.
func only(body []byte, tag uint32) (inside []byte, err error) {
	found, i := next(body, 0)
	switch found {
	case endTag:
		return nil, nil
	case tag:
		inside, end := content(body, i)
		if end != len(body) {
			return nil, errMalformed
		}
		return inside, nil
	}
	return nil, errForeign
}

// appendFieldsV1 appends a set of fields, which is JSON already.
func appendFieldsV1(dst, body []byte) ([]byte, error) {
	raw, err := only(body, 1<<3|wireBytes)
	if err != nil {
		return dst, err
	}
	if len(raw) > 0 && raw[0] == '{' {
		if out, err := json.AppendCompact(dst, raw); err == nil {
			return out, nil
		}
	}
	set := new(metav1.FieldsV1)
	set.SetRawBytes(raw)
	return apimachinery.AppendJSON_FieldsV1(dst, set)
}

// appendQuantity appends a quantity, which is written as it is printed. Only for what is certain to
// be so it does without parsing it.
func appendQuantity(dst, body []byte) ([]byte, error) {
	raw, err := only(body, 1<<3|wireBytes)
	if err != nil {
		return dst, err
	}
	if canonicalQuantity(raw) {
		return append(append(append(dst, '"'), raw...), '"'), nil
	}
	var q resource.Quantity
	if err := q.Unmarshal(body); err != nil {
		return dst, err
	}
	return apimachinery.AppendJSON_Quantity(dst, &q)
}

// canonicalQuantity says whether text is a quantity as it is printed, for those that most are: a
// number of few digits, and a common suffix. A larger suffix would have been taken for a number
// that ends in 000, or that 1024 divides.
func canonicalQuantity(text []byte) bool {
	n := 0
	value := uint64(0)
	for n < len(text) && text[n]-'0' < 10 {
		value = value*10 + uint64(text[n]-'0')
		n++
	}
	switch {
	case n == 0 || n > 6 || text[0] == '0':
		return n == 1 && len(text) == 1
	case n == len(text):
		return value%1000 != 0
	case n+1 == len(text):
		return value%1000 != 0 && bytes.IndexByte([]byte("mkMG"), text[n]) >= 0
	}
	return n+2 == len(text) && text[n+1] == 'i' && value%1024 != 0 && bytes.IndexByte([]byte("KMG"), text[n]) >= 0
}

// appendIntOrString appends the integer or the string.
func appendIntOrString(dst, body []byte) ([]byte, error) {
	isText, number, inside, err := intOrString(body)
	switch {
	case err != nil:
		return dst, err
	case isText:
		return json.AppendString(dst, text(inside)), nil
	}
	return json.AppendInt(dst, number), nil
}

// intOrString reads the integer or the string. All three fields are always there.
func intOrString(body []byte) (isText bool, number int32, inside []byte, err error) {
	var numbers [2]uint64 // the type, and the integer
	i := 0
	for n := range numbers {
		var tag uint32
		if tag, i = next(body, i); tag != uint32(n+1)<<3 {
			return false, 0, nil, errForeign
		}
		if numbers[n], i = varint(body, i); i < 0 {
			return false, 0, nil, errMalformed
		}
	}
	tag, i := next(body, i)
	if tag != 3<<3|wireBytes {
		return false, 0, nil, errForeign
	}
	inside, end := content(body, i)
	kind := intstr.Type(numbers[0])
	switch {
	case end != len(body):
		return false, 0, nil, errMalformed
	case kind != intstr.Int && kind != intstr.String:
		return false, 0, nil, errForeign
	}
	return kind == intstr.String, int32(numbers[1]), inside, nil
}

func appendRawExtension(dst, body []byte) ([]byte, error) {
	raw, err := only(body, 1<<3|wireBytes)
	if err != nil {
		return dst, err
	}
	if len(raw) == 0 {
		return Decoded[runtime.RawExtension](dst, body)
	}
	return json.AppendCompact(dst, raw)
}

// appendVersion appends the resourceVersion: that of the whole object, or the one that is stored.
func (f *Member) appendVersion(dst, stored []byte, at int64) []byte {
	switch {
	case at == asStored:
		return json.AppendOptionalString(dst, f.Name, text(stored))
	case at == 0:
		return dst
	}
	return appendVersion(dst, f.Name, at)
}

func appendVersion(dst []byte, name string, at int64) []byte {
	dst = append(json.AppendName(dst, name), '"')
	return append(strconv.AppendInt(dst, at, 10), '"')
}
