package apimachinery

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/quantity"
)

// AppendJSON_Quantity appends a quantity in its canonical form, or as it was read.
func AppendJSON_Quantity(dst []byte, in *resource.Quantity) ([]byte, error) {
	q := *in // String keeps what it returns, and in may be shared
	return json.AppendString(dst, q.String()), nil
}

// ReadJSON_Quantity reads a quantity from a string or a number. That of a stranger is looked at
// before.
func ReadJSON_Quantity(r *json.Reader, out *resource.Quantity) {
	if text, ok := r.PeekString(); ok && !(r.Limited() && quantity.Check(text) != nil) {
		if q, err := resource.ParseQuantity(r.KeepString()); err == nil {
			r.TakeString()
			*out = q
			return
		}
	}
	if r.Limited() {
		r.Unmarshal((*checkedQuantity)(out))
		return
	}
	r.Unmarshal(out)
}

// checkedQuantity is a quantity that does not read what quantity.Check refuses.
type checkedQuantity resource.Quantity

func (q *checkedQuantity) UnmarshalJSON(text []byte) error {
	if err := quantity.Check(text); err != nil {
		return err
	}
	return (*resource.Quantity)(q).UnmarshalJSON(text)
}

// AppendJSON_IntOrString appends the integer or the string.
func AppendJSON_IntOrString(dst []byte, in *intstr.IntOrString) ([]byte, error) {
	switch in.Type {
	case intstr.Int:
		return json.AppendInt(dst, in.IntVal), nil
	case intstr.String:
		return json.AppendString(dst, in.StrVal), nil
	}
	return json.AppendMarshaler(dst, in, "intstr.IntOrString")
}

// ReadJSON_IntOrString reads a string, or an integer.
func ReadJSON_IntOrString(r *json.Reader, out *intstr.IntOrString) {
	if _, ok := r.PeekString(); ok {
		out.Type = intstr.String
		r.String(&out.StrVal)
		return
	}
	if n, ok := r.TakeInt32(); ok {
		out.Type, out.IntVal = intstr.Int, n
		return
	}
	r.Unmarshal(out)
}

// AppendJSON_FieldsV1 appends a set of fields, which is JSON already.
func AppendJSON_FieldsV1(dst []byte, in *metav1.FieldsV1) ([]byte, error) {
	raw := in.GetRawBytes()
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	if raw[0] == '{' {
		if out, err := json.AppendCompact(dst, raw); err == nil {
			return out, nil
		}
	}
	return json.AppendMarshaler(dst, in, "v1.FieldsV1")
}

// ReadJSON_FieldsV1 copies the bytes of a set of fields.
func ReadJSON_FieldsV1(r *json.Reader, out *metav1.FieldsV1) { r.Unmarshal(out) }

// AppendJSON_RawExtension appends what is raw already, or the object.
func AppendJSON_RawExtension(dst []byte, in *runtime.RawExtension) ([]byte, error) {
	return json.AppendMarshaler(dst, in, "runtime.RawExtension")
}

// ReadJSON_RawExtension copies the bytes of a value.
func ReadJSON_RawExtension(r *json.Reader, out *runtime.RawExtension) { r.Unmarshal(out) }
