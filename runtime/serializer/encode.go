package serializer

import (
	"fmt"
	"io"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// Encode writes obj with one call of w.Write, so nothing is written when it fails. The object says
// itself what kind it is, in its TypeMeta. Pretty is for JSON and ignored by the other forms. JSON
// and YAML end in a newline.
func Encode(w io.Writer, obj apiruntime.Object, form MediaType, pretty bool) error {
	data, err := Append(nil, obj, form, pretty)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Append is Encode to the end of dst, which is returned as it was after an error.
func Append(dst []byte, obj apiruntime.Object, form MediaType, pretty bool) ([]byte, error) {
	var data []byte
	var err error
	switch form {
	case Protobuf:
		return AppendProtobuf(dst, obj, obj.GetObjectKind().GroupVersionKind())
	case JSON:
		data, err = marshalJSON(obj, pretty)
	case YAML:
		if data, err = marshalJSON(obj, false); err == nil {
			data, err = AppendYAML(nil, data, 0)
		}
	default:
		return dst, fmt.Errorf("can't write %q: want %s, %s or %s", form, JSON, YAML, Protobuf)
	}
	if err != nil {
		return dst, err
	}
	if dst == nil {
		return data, nil
	}
	return append(dst, data...), nil
}
