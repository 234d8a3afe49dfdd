package wire_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/typeplane/typeplane/runtime/wire"
)

// message makes an encoded message of fields: a string or a message ([]byte) is length-delimited,
// an int64 a varint.
func message(fields ...any) (data []byte) {
	for i := 0; i < len(fields); i += 2 {
		number := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case string:
			data = protowire.AppendString(protowire.AppendTag(data, number, protowire.BytesType), v)
		case []byte:
			data = protowire.AppendBytes(protowire.AppendTag(data, number, protowire.BytesType), v)
		case int64:
			data = protowire.AppendVarint(protowire.AppendTag(data, number, protowire.VarintType), uint64(v))
		case float64:
			data = protowire.AppendFixed64(protowire.AppendTag(data, number, protowire.Fixed64Type), 1)
		case float32:
			data = protowire.AppendFixed32(protowire.AppendTag(data, number, protowire.Fixed32Type), 1)
		default:
			panic(fmt.Sprintf("%T", v))
		}
	}
	return data
}

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name  string
		field wire.Field
		data  []byte
		want  string
	}{
		{"a string", wire.String(2, 10), message(1, "meta", 2, message(1, "a", 10, "node")), "node"},
		{"a high field number", wire.String(2000), message(2000, "x"), "x"},
		{"behind fields of every wire type", wire.String(7), message(3, int64(-1), 4, 1.5, 5, float32(1), 6, "s", 7, "x"), "x"},
		{"a string that is not there", wire.String(2, 10), message(1, "meta"), ""},
		{"a number that is not there", wire.Int32(2, 10), message(2, message()), "0"},
		{"a number in a message that is not there", wire.Int32(2, 10), message(), "0"},
		{"a bool that is not there", wire.Bool(2, 10), message(2, message()), "false"},
		{"a pointer that is nil", wire.Int32(2, wire.Pointer(10)), message(2, message()), ""},
		{"a pointer", wire.Int32(2, wire.Pointer(10)), message(2, message(10, int64(7))), "7"},
		{"a number below a nil pointer", wire.Int32(wire.Pointer(2), 10), message(), ""},
		{"a number that is not there below a pointer", wire.Int32(wire.Pointer(2), 10), message(2, message()), "0"},
		{"a negative number", wire.Int32(1), message(1, int64(-5)), "-5"},
		{"an int32 that overflows", wire.Int32(1), message(1, int64(1<<32+5)), "5"},
		{"an int64", wire.Int64(1), message(1, int64(1<<32+5)), "4294967301"},
		{"a uint32", wire.Uint32(1), message(1, int64(-1)), "4294967295"},
		{"a uint64", wire.Uint64(1), message(1, int64(-1)), "18446744073709551615"},
		{"true", wire.Bool(1), message(1, int64(2)), "true"},
		{"the last value counts", wire.String(1), message(1, "first", 2, "other", 1, "last"), "last"},
		{"messages add up", wire.String(2, 3), message(2, message(1, "a", 3, "c"), 2, message(1, "b")), "c"},
		{"messages add up and the last value counts", wire.String(2, 3), message(2, message(3, "a"), 2, message(3, "b")), "b"},
		{"a pointer in the first of two messages", wire.Int32(2, wire.Pointer(3), 1), message(2, message(3, message(1, int64(4))), 2, message()), "4"},
	} {
		got, err := wire.NewReader(test.field).Read(nil, test.data)
		if err != nil || len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

// A Reader reads all of its fields in one pass, in the order in which they were given, behind what
// is there already.
func TestReaderOfManyFields(t *testing.T) {
	r := wire.NewReader(wire.String(2, 10), wire.Bool(2, 70), wire.String(1, 1), wire.Int32(3, wire.Pointer(1), 2), wire.Int32(3, wire.Pointer(4)), wire.String(2, 10))
	data := message(1, message(1, "name"), 2, message(10, "node", 64, int64(1), 70, int64(1)), 3, message(1, message()))
	got, err := r.Read([]string{"before"}, data)
	if want := []string{"before", "node", "true", "name", "0", "", "node"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if got, err = r.Read(got[:0], nil); err != nil || !slices.Equal(got, []string{"", "false", "", "", "", ""}) {
		t.Errorf("of nothing: %q, %v", got, err)
	}
}

func TestReaderRefuses(t *testing.T) {
	r := wire.NewReader(wire.String(2, 10))
	whole := message(1, "meta", 2, message(10, "node", 4, 1.5))
	for name, data := range map[string][]byte{
		"a message where a string is wanted": message(2, message(10, int64(1))),
		"a number where a message is wanted": message(2, int64(1)),
		"field 0":                            {0x00, 0x00},
		"field 0 with a string":              {0x02, 0x00},
		"an endless varint":                  {0x80, 0x80},
		"a group":                            {2<<3 | 3, 2<<3 | 4},
		"a length over the end":              {1<<3 | 2, 200, 1},
		"a huge length":                      {1<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	} {
		if got, err := r.Read(nil, data); err == nil {
			t.Errorf("%s: got %q and no error", name, got)
		}
	}
	for end := range whole {
		// A message that is cut off between two fields is a shorter message.
		if got, err := r.Read(nil, whole[:end]); err == nil && got[0] != "" {
			t.Errorf("cut off at %d: got %q and no error", end, got)
		}
	}
	if _, err := r.Read(nil, whole[:len(whole)-1]); err == nil {
		t.Error("the last byte is missing, and there is no error")
	}
}

func TestMessage(t *testing.T) {
	raw := message(1, "meta")
	for name, value := range map[string][]byte{
		"as Kubernetes writes it": envelope(t, apiVersion, kind, raw),
		"without its end":         slices.Concat([]byte(wire.Magic), message(2, raw)),
	} {
		if got, err := wire.Message(value); err != nil || !slices.Equal(got, raw) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := wire.Message([]byte("{}")); err == nil {
		t.Error("JSON has no message")
	}
}

func TestReaderAllocatesNothing(t *testing.T) {
	data := message(1, "meta", 2, message(10, "node", 11, int64(1), 12, int64(5)))
	r := wire.NewReader(wire.String(2, 10), wire.Bool(2, wire.Pointer(11)), wire.Int32(2, 12))
	var texts []string
	if n := testing.AllocsPerRun(10, func() {
		var err error
		if texts, err = r.Read(texts[:0], data); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Label says what decoding the metadata says.
func TestLabel(t *testing.T) {
	for seed := range int64(200) {
		meta, second := randomMeta(seed), randomMeta(seed+1000)
		raw := slices.Concat(object(t, meta, "spec"), object(t, second, "more"))
		want := map[string]string{}
		maps.Copy(want, meta.Labels)
		maps.Copy(want, second.Labels)
		for key, value := range want {
			if got, ok, err := wire.Label(raw, key); err != nil || !ok || got != value {
				t.Fatalf("%q: %q, %v, %v; want %q", key, got, ok, err, value)
			}
		}
		if got, ok, err := wire.Label(raw, "no such label"); ok || err != nil {
			t.Fatalf("a label that is not there: %q, %v", got, err)
		}
	}
}

func TestLabelRefuses(t *testing.T) {
	whole := message(1, message(11, message(1, "app", 2, "shop")))
	for name, data := range map[string][]byte{
		"metadata that is a number":  message(1, int64(1)),
		"a label that is a number":   message(1, message(11, int64(1))),
		"a key that is a number":     message(1, message(11, message(1, int64(1)))),
		"a label without its end":    whole[:len(whole)-1],
		"metadata that is malformed": message(1, []byte{11<<3 | 2, 5}),
		"an entry that is malformed": message(1, message(11, []byte{1<<3 | 2, 5})),
	} {
		if got, _, err := wire.Label(data, "app"); err == nil {
			t.Errorf("%s: got %q and no error", name, got)
		}
	}
	if got, ok, err := wire.Label(message(1, message(11, message(1, "app"))), "app"); got != "" || !ok || err != nil {
		t.Errorf("a label without a value: %q, %v, %v", got, ok, err)
	}
}

func FuzzReader(f *testing.F) {
	r := wire.NewReader(wire.String(2, 10), wire.Int64(2, wire.Pointer(11)), wire.Bool(wire.Pointer(3), 1))
	f.Add(message(1, "meta", 2, message(10, "node", 11, int64(1))))
	f.Add(message(2, message(10, "a"), 2, message(10, "b"), 3, message()))
	f.Add(message(1, message(11, message(1, "app", 2, "shop"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := r.Read(nil, data); err == nil && (len(got) != 3 || len(got[0]) > len(data)) {
			t.Errorf("%q out of %q", got, data)
		}
		if got, _, err := wire.Label(data, "app"); err == nil && len(got) > len(data) {
			t.Errorf("%q out of %q", got, data)
		}
	})
}
