package codebench

import (
	"encoding/binary"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/test/codebench/kinds"
)

// TestUnmarshalFloor says what reading is made of. One part is to find all fields in the bytes of
// an object, without keeping anything of them. The other is to make the object, which a copy of it
// does. Reading must do both.
func TestUnmarshalFloor(t *testing.T) {
	unmarshalFloor(t, "core.v1.Pod", kinds.UnmarshalShared_Pod, kinds.DeepCopy_Pod)
	unmarshalFloor(t, "apps.v1.Deployment", kinds.UnmarshalShared_Deployment, kinds.DeepCopy_Deployment)
	unmarshalFloor(t, "core.v1.Node", kinds.UnmarshalShared_Node, kinds.DeepCopy_Node)
	unmarshalFloor(t, "core.v1.ConfigMap", kinds.UnmarshalShared_ConfigMap, kinds.DeepCopy_ConfigMap)
}

func unmarshalFloor[T any, P interface {
	*T
	protoMessage
}](t *testing.T, kind string, unmarshal func([]byte, P) error, deepCopy func(*T) *T) {
	data, in := fixture(t, kind, "pb"), new(T)
	if err := P(in).Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	known := shapeOf(reflect.TypeFor[T](), map[reflect.Type]*shape{})
	fields := known.walk(data)
	if fields < len(data)/50 {
		t.Errorf("%s: %d fields found in %d bytes", kind, fields, len(data))
	}
	if !testing.Verbose() {
		return
	}
	times := copyTimes(true,
		func() any { out := new(T); return P(out).Unmarshal(data) == nil },
		func() any { out := new(T); return unmarshal(data, out) == nil },
		func() any { return known.walk(data) == fields },
		func() any { return deepCopy(in) },
	)
	t.Logf("%-18s peer %v, ours %v: %.2f times as fast; %d fields found in %v, the object copied in %v: both %.2f times as fast",
		kind, times[0], times[1], float64(times[0])/float64(times[1]), fields, times[2], times[3],
		float64(times[0])/float64(times[2]+times[3]))
}

// shape is what messages a message holds, by the numbers of their fields; nil for what is none.
type shape struct{ fields []*shape }

func shapeOf(t reflect.Type, known map[reflect.Type]*shape) *shape {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return shapeOf(t.Elem(), known)
	case reflect.Map:
		return &shape{[]*shape{nil, nil, shapeOf(t.Elem(), known)}}
	case reflect.Struct:
	default:
		return nil
	}
	if known[t] != nil {
		return known[t]
	}
	s := &shape{}
	known[t] = s
	for field := range t.Fields() {
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		number, err := strconv.Atoi(parts[1])
		if err != nil {
			panic(err)
		}
		for len(s.fields) <= number {
			s.fields = append(s.fields, nil)
		}
		s.fields[number] = shapeOf(field.Type, known)
	}
	return s
}

// walk counts the fields in a message and in those that it holds. The bytes are known to be right.
func (s *shape) walk(data []byte) (count int) {
	for i := 0; i < len(data); count++ {
		tag, i2 := number(data, i)
		v, next := number(data, i2)
		if i = next; tag&7 != 2 {
			continue
		}
		if n := tag >> 3; n < uint64(len(s.fields)) && s.fields[n] != nil {
			count += s.fields[n].walk(data[i : i+int(v)])
		}
		i += int(v)
	}
	return count
}

func number(data []byte, i int) (v uint64, next int) {
	if b := data[i]; b < 0x80 {
		return uint64(b), i + 1
	}
	v, n := binary.Uvarint(data[i:])
	return v, i + n
}
