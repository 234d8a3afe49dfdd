package expression

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"
)

// plain makes a tree of JSON of what an expression has made: values of CEL, and values that were
// JSON before. Whole numbers stay whole.
func plain(value any) (any, error) {
	switch v := value.(type) {
	case *dynamic.ObjectVal:
		members, err := v.ConvertToNative(reflect.TypeFor[map[string]any]())
		if err != nil {
			return nil, err
		}
		return plain(members)
	case traits.Mapper:
		return plainMap(v)
	case traits.Lister:
		return plainList(v)
	case *types.Optional:
		return nil, fmt.Errorf("an optional value can't be written as JSON: use orValue, or a field with a question mark")
	case types.Bytes, types.Duration, types.Timestamp:
		return nil, fmt.Errorf("a %s can't be written as JSON: make a string of it", v.(ref.Val).Type().TypeName())
	case ref.Val:
		if types.IsError(v) {
			return nil, v.(*types.Err)
		}
		return plain(v.Value())
	case map[string]any:
		return each(v)
	case map[ref.Val]ref.Val:
		return plainMap(types.NewRefValMap(types.DefaultTypeAdapter, v))
	case []any:
		return items(v)
	case []ref.Val:
		return items(v)
	case nil, structpb.NullValue:
		return nil, nil
	case bool, string, int64, uint64, float64:
		return v, nil
	}
	return nil, fmt.Errorf("a %T can't be written as JSON", value)
}

func plainMap(m traits.Mapper) (any, error) {
	members := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("a key of a map is a %s, want a string", key.Type().TypeName())
		}
		members[string(name)] = m.Get(key)
	}
	return each(members)
}

func plainList(l traits.Lister) (any, error) {
	list := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		list = append(list, it.Next())
	}
	return items(list)
}

func each(members map[string]any) (any, error) {
	out := make(map[string]any, len(members))
	for name, member := range members {
		value, err := plain(member)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

func items[T any](list []T) (any, error) {
	out := make([]any, len(list))
	for i, item := range list {
		value, err := plain(item)
		if err != nil {
			return nil, err
		}
		out[i] = value
	}
	return out, nil
}
