package cel

import (
	"context"
	"maps"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/rules"
)

// values are a value and the old one, as JSON has them; old is nil if there is none. A rule that
// compares the two has to see both alike: of the old one nobody knows what was sent.
func (p *Program) values(ctx context.Context, path *field.Path, obj, oldObj reflect.Value, hasOld bool) (self, old any, err error) {
	if !p.transition || !hasOld {
		if sent, ok := rules.Document(ctx, path); ok {
			return withMeta(sent, obj), nil, nil
		}
	}
	if self, err = printed(obj); err != nil || !p.transition || !hasOld {
		return self, nil, err
	}
	old, err = printed(oldObj)
	return self, old, err
}

// withMeta is the document of an object with its metadata, which stands apart; of all else it is
// what was sent.
func withMeta(sent any, obj reflect.Value) any {
	document, ok := sent.(map[string]any)
	of, isObject := obj.Interface().(metav1.Object)
	if !ok || !isObject || document["metadata"] != nil {
		return sent
	}
	whole := maps.Clone(document)
	if whole == nil {
		whole = map[string]any{}
	}
	whole["metadata"] = map[string]any{"name": of.GetName(), "generateName": of.GetGenerateName()}
	return whole
}

// printed is the JSON of a Go value.
func printed(v reflect.Value) (any, error) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if _, own := v.Interface().(interface{ MarshalJSON() ([]byte, error) }); !own {
		switch v.Kind() {
		case reflect.String:
			return v.String(), nil
		case reflect.Bool:
			return v.Bool(), nil
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return v.Int(), nil
		}
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	return tree, nil
}
