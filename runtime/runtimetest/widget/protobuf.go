package widget

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The messages, as gogo would write them: required strings and structs always, maps sorted.

func (in *V1) Marshal() ([]byte, error) {
	var spec []byte
	spec = appendString(spec, 1, in.Spec.Color)
	if in.Spec.Replicas != nil {
		spec = appendInt(spec, 2, int64(*in.Spec.Replicas))
	}
	spec = appendParts(spec, 3, in.Spec.Parts)
	spec = appendMap(spec, 4, in.Spec.Options)
	return appendObject(&in.ObjectMeta, spec, in.Status)
}

func (in *V1) Unmarshal(data []byte) error {
	return readObject(data, &in.ObjectMeta, &in.Status, func(num protowire.Number, val []byte, n uint64) error {
		switch num {
		case 1:
			in.Spec.Color = string(val)
		case 2:
			replicas := int32(n)
			in.Spec.Replicas = &replicas
		case 3:
			return readPart(&in.Spec.Parts, val)
		case 4:
			return readEntry(&in.Spec.Options, val)
		}
		return nil
	})
}

func (in *V1beta1) Marshal() ([]byte, error) {
	spec := appendParts(nil, 1, in.Spec.Parts)
	spec = appendString(spec, 2, in.Spec.Colour)
	spec = appendInt(spec, 3, int64(in.Spec.Replicas))
	spec = appendMap(spec, 5, in.Spec.Options)
	return appendObject(&in.ObjectMeta, spec, in.Status)
}

func (in *V1beta1) Unmarshal(data []byte) error {
	return readObject(data, &in.ObjectMeta, &in.Status, func(num protowire.Number, val []byte, n uint64) error {
		switch num {
		case 1:
			return readPart(&in.Spec.Parts, val)
		case 2:
			in.Spec.Colour = string(val)
		case 3:
			in.Spec.Replicas = int32(n)
		case 5:
			return readEntry(&in.Spec.Options, val)
		}
		return nil
	})
}

func (in *V1) Reset()                                             { *in = V1{} }
func (in *V1) Size() int                                          { return size(in.Marshal()) }
func (in *V1) MarshalToSizedBuffer(data []byte) (int, error)      { return toEnd(data, in.Marshal) }
func (in *V1beta1) Reset()                                        { *in = V1beta1{} }
func (in *V1beta1) Size() int                                     { return size(in.Marshal()) }
func (in *V1beta1) MarshalToSizedBuffer(data []byte) (int, error) { return toEnd(data, in.Marshal) }

func (in *V1List) Marshal() ([]byte, error) {
	return appendList(in.ListMeta, len(in.Items), func(i int) ([]byte, error) { return in.Items[i].Marshal() })
}

func (in *V1beta1List) Marshal() ([]byte, error) {
	return appendList(in.ListMeta, len(in.Items), func(i int) ([]byte, error) { return in.Items[i].Marshal() })
}

func (in *V1List) Reset()                                             { *in = V1List{} }
func (in *V1List) Size() int                                          { return size(in.Marshal()) }
func (in *V1List) MarshalToSizedBuffer(data []byte) (int, error)      { return toEnd(data, in.Marshal) }
func (in *V1beta1List) Reset()                                        { *in = V1beta1List{} }
func (in *V1beta1List) Size() int                                     { return size(in.Marshal()) }
func (in *V1beta1List) MarshalToSizedBuffer(data []byte) (int, error) { return toEnd(data, in.Marshal) }

// Unmarshal reads a list.
func (in *V1List) Unmarshal(data []byte) error {
	return each(data, func(num protowire.Number, val []byte, _ uint64) error {
		switch num {
		case 1:
			return in.ListMeta.Unmarshal(val)
		case 2:
			in.Items = append(in.Items, V1{})
			return in.Items[len(in.Items)-1].Unmarshal(val)
		}
		return nil
	})
}

func (in *V1beta1List) Unmarshal(data []byte) error {
	return each(data, func(num protowire.Number, val []byte, _ uint64) error {
		switch num {
		case 1:
			return in.ListMeta.Unmarshal(val)
		case 2:
			in.Items = append(in.Items, V1beta1{})
			return in.Items[len(in.Items)-1].Unmarshal(val)
		}
		return nil
	})
}

func appendList(meta metav1.ListMeta, n int, item func(int) ([]byte, error)) ([]byte, error) {
	m, err := meta.Marshal()
	if err != nil {
		return nil, err
	}
	data := appendBytes(nil, 1, m)
	for i := range n {
		raw, err := item(i)
		if err != nil {
			return nil, err
		}
		data = appendBytes(data, 2, raw)
	}
	return data, nil
}

func appendObject(meta *metav1.ObjectMeta, spec []byte, status Status) ([]byte, error) {
	m, err := meta.Marshal()
	if err != nil {
		return nil, err
	}
	data := appendBytes(nil, 1, m)
	data = appendBytes(data, 2, spec)
	s := appendString(nil, 1, status.Phase)
	if status.Seen != nil {
		s = appendInt(s, 2, *status.Seen)
	}
	return appendBytes(data, 3, s), nil
}

func readObject(data []byte, meta *metav1.ObjectMeta, status *Status, spec func(protowire.Number, []byte, uint64) error) error {
	return each(data, func(num protowire.Number, val []byte, _ uint64) error {
		switch num {
		case 1:
			return meta.Unmarshal(val)
		case 2:
			return each(val, spec)
		case 3:
			return each(val, func(num protowire.Number, val []byte, n uint64) error {
				switch num {
				case 1:
					status.Phase = string(val)
				case 2:
					seen := int64(n)
					status.Seen = &seen
				}
				return nil
			})
		}
		return nil
	})
}

func appendParts(data []byte, num protowire.Number, parts []Part) []byte {
	for _, p := range parts {
		data = appendBytes(data, num, appendInt(appendString(nil, 1, p.Name), 2, int64(p.Count)))
	}
	return data
}

func readPart(parts *[]Part, data []byte) error {
	var p Part
	err := each(data, func(num protowire.Number, val []byte, n uint64) error {
		switch num {
		case 1:
			p.Name = string(val)
		case 2:
			p.Count = int32(n)
		}
		return nil
	})
	*parts = append(*parts, p)
	return err
}

func appendMap(data []byte, num protowire.Number, m map[string]string) []byte {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		data = appendBytes(data, num, appendString(appendString(nil, 1, k), 2, m[k]))
	}
	return data
}

func readEntry(m *map[string]string, data []byte) error {
	var key, value string
	err := each(data, func(num protowire.Number, val []byte, _ uint64) error {
		switch num {
		case 1:
			key = string(val)
		case 2:
			value = string(val)
		}
		return nil
	})
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
	return err
}

func appendBytes(data []byte, num protowire.Number, val []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(data, num, protowire.BytesType), val)
}

func appendString(data []byte, num protowire.Number, val string) []byte {
	return protowire.AppendString(protowire.AppendTag(data, num, protowire.BytesType), val)
}

func appendInt(data []byte, num protowire.Number, val int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(data, num, protowire.VarintType), uint64(val))
}

// each calls f with the fields of a message: the content of strings and messages, the value of
// numbers.
func each(data []byte, f func(num protowire.Number, val []byte, n uint64) error) error {
	for len(data) > 0 {
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var val []byte
		var number uint64
		switch typ {
		case protowire.BytesType:
			val, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		default:
			n = protowire.ConsumeFieldValue(num, typ, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(num, val, number); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

func size(data []byte, err error) int {
	if err != nil {
		panic(err)
	}
	return len(data)
}

func toEnd(data []byte, marshal func() ([]byte, error)) (int, error) {
	raw, err := marshal()
	if err != nil {
		return 0, err
	}
	if len(raw) > len(data) {
		return 0, fmt.Errorf("the buffer is %d bytes, the message %d", len(data), len(raw))
	}
	return copy(data[len(data)-len(raw):], raw), nil
}
