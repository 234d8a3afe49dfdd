package serializer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/quantity"
)

// jsonSource reads JSON: names are case-sensitive, integers stay integers, nesting is limited.
type jsonSource struct {
	data []byte
	// strict are complaints from before the data was JSON.
	strict []error
}

func (s jsonSource) cheap() bool { return false }

func (s jsonSource) json() []byte { return s.data }

func (s jsonSource) sniff() (schema.GroupVersionKind, error) {
	var said struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(s.data, &said); err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	gv, err := schema.ParseGroupVersion(said.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return gv.WithKind(said.Kind), nil
}

func (s jsonSource) into(obj apiruntime.Object) ([]error, error) {
	if err := runtimejson.Fits(s.data, reflect.TypeOf(obj).Elem(), MaxMemory, quantity.Guard); errors.Is(err, runtimejson.ErrTooLarge) {
		return nil, errTooLarge()
	} else if err != nil {
		return nil, err
	}
	strict, err := kjson.UnmarshalStrict(s.data, obj)
	if err != nil {
		return nil, err
	}
	return append(s.strict, strict...), nil
}

func (s jsonSource) decode(kind *runtime.Kind, obj runtime.Object, how manner) ([]error, error) {
	read := kind.ReadJSON
	if how.bounded {
		read = func(data []byte, obj runtime.Object) ([]error, error) {
			return kind.ReadJSONWithin(data, obj, MaxMemory)
		}
	}
	strict, err := read(s.data, obj)
	if errors.Is(err, runtimejson.ErrTooLarge) {
		return nil, errTooLarge()
	}
	if err != nil {
		return nil, err
	}
	return append(s.strict, strict...), nil
}

// marshalJSON is what Kubernetes writes: keys in the order of the struct, HTML signs escaped, a
// newline at the end.
func marshalJSON(obj any, pretty bool) ([]byte, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	if pretty {
		var indented bytes.Buffer
		if err := Indent(&indented, data, ""); err != nil {
			return nil, err
		}
		data = indented.Bytes()
	}
	return append(data, '\n'), nil
}

// maxIndented is the depth from which on JSON is not indented, because the indentation grows by the
// square of the depth: 60 KB would become 200 MB.
const maxIndented = 100

// Indent writes JSON over several lines, as json.Indent does with two spaces, or unchanged if it is
// nested too deeply for that.
func Indent(dst *bytes.Buffer, data []byte, prefix string) error {
	if depthOf(data) > maxIndented {
		dst.Write(data)
		return nil
	}
	return json.Indent(dst, data, prefix, "  ")
}

// depthOf returns how deeply JSON is nested.
func depthOf(data []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
