package runtimetest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"sigs.k8s.io/randfill"
)

// RoundTrip is the generated code of one type, for RunRoundTrip: what is nil was not generated. It
// needs no Scheme, so that packages of types can be tested where they are.
type RoundTrip[T any] struct {
	DeepCopy  func(*T) *T
	Marshal   func(*T) ([]byte, error)
	Unmarshal func(*T, []byte) error
	// UnmarshalShared is Unmarshal with strings that share memory with the data.
	UnmarshalShared func([]byte, *T) error
	// JSON says that the type is sent as JSON. AppendJSON and ReadJSON do that without reflection.
	JSON       bool
	AppendJSON func([]byte, *T) ([]byte, error)
	ReadJSON   func([]byte, *T) error
	// SetDefaults fills in what is left out.
	SetDefaults func(*T)
	// ThroughHub converts in to its hub, and the result back into out.
	ThroughHub func(in, out *T) error
}

// RunRoundTrip tests generated code with random values. A copy is equal and shares no memory.
// Encoding and decoding change nothing, and the generated JSON is that of encoding/json. Defaults
// that are set again change nothing, and conversion to the hub and back loses nothing. It fails if
// the random values never reached some field.
func RunRoundTrip[T any](t *testing.T, code RoundTrip[T], opts Options) {
	t.Helper()
	if opts.Rounds == 0 {
		opts.Rounds = 100
	}
	c := roundTrip[T]{t, code}
	c.defaults(new(T))
	filler := newFiller(opts.Seed, append([]any{fillMapOfBytes}, opts.Fill...))
	fields := newReached(reflect.TypeFor[T]())
	for range opts.Rounds {
		value := new(T)
		filler.Fill(value)
		fields.note("", reflect.ValueOf(value))
		c.copying(value)
		c.protobuf(value)
		c.json(value)
		c.defaults(value)
		c.conversion(value)
		if t.Failed() {
			return // one bad value says enough
		}
	}
	for _, name := range fields.missed() {
		t.Errorf("%s was zero in all %d values: the checks say nothing about it; give Options.Fill a function that sets it", name, opts.Rounds)
	}
}

// fillMapOfBytes makes no nil in a map, which protobuf does not tell from nothing in it.
func fillMapOfBytes(m *map[string][]byte, c randfill.Continue) {
	*m = map[string][]byte{text(c): []byte(text(c)), text(c): []byte(text(c))}
}

type roundTrip[T any] struct {
	t *testing.T
	RoundTrip[T]
}

// copyOf copies a value that is about to be changed.
func (c roundTrip[T]) copyOf(value *T) *T {
	c.t.Helper()
	if c.DeepCopy == nil {
		c.t.Fatal("defaults and conversion can only be checked with a DeepCopy")
	}
	return c.DeepCopy(value)
}

func (c roundTrip[T]) copying(value *T) {
	if c.DeepCopy == nil {
		return
	}
	copied := c.DeepCopy(value)
	if diff := difference(value, copied); diff != "" {
		c.t.Errorf("DeepCopy changes the value (-original +copy):\n%s", diff)
	}
	if path := sharedMemory("", reflect.ValueOf(value), reflect.ValueOf(copied)); path != "" {
		c.t.Errorf("the copy shares memory with the original at %s", path)
	}
}

func (c roundTrip[T]) protobuf(value *T) {
	if c.Marshal == nil || c.Unmarshal == nil {
		return
	}
	c.coding("protobuf", value, c.Marshal, func(data []byte, out *T) error { return c.Unmarshal(out, data) })
	if c.UnmarshalShared != nil {
		c.coding("protobuf, sharing memory", value, c.Marshal, c.UnmarshalShared)
	}
}

func (c roundTrip[T]) json(value *T) {
	if !c.JSON {
		return
	}
	want := c.coding("JSON", value, func(v *T) ([]byte, error) { return json.Marshal(v) }, func(data []byte, out *T) error { return json.Unmarshal(data, out) })
	if c.AppendJSON == nil || c.ReadJSON == nil {
		return
	}
	got := c.coding("generated JSON", value, func(v *T) ([]byte, error) { return c.AppendJSON(nil, v) }, c.ReadJSON)
	if !bytes.Equal(want, got) {
		c.t.Errorf("generated JSON is not that of encoding/json:\n%s\n%s", got, want)
	}
}

// coding encodes, decodes, and encodes what was decoded.
func (c roundTrip[T]) coding(form string, value *T, encode func(*T) ([]byte, error), decode func([]byte, *T) error) []byte {
	data, err := encode(value)
	if err != nil {
		c.t.Errorf("%s: encode: %v", form, err)
		return nil
	}
	decoded := new(T)
	if err := decode(data, decoded); err != nil {
		c.t.Errorf("%s: decode what was encoded: %v\n%q", form, err, data)
		return data
	}
	if diff := difference(value, decoded); diff != "" {
		c.t.Errorf("%s: encoding and decoding changes the value (-sent +received):\n%s", form, diff)
	}
	if again, err := encode(decoded); err != nil || !bytes.Equal(again, data) {
		c.t.Errorf("%s: the same value has two encodings (%v):\n%q\n%q", form, err, data, again)
	}
	return data
}

func (c roundTrip[T]) defaults(value *T) {
	if c.SetDefaults == nil {
		return
	}
	once := c.copyOf(value)
	c.SetDefaults(once)
	twice := c.copyOf(once)
	c.SetDefaults(twice)
	if diff := difference(once, twice); diff != "" {
		c.t.Errorf("defaults that are set a second time change the value (-first +second):\n%s", diff)
	}
}

func (c roundTrip[T]) conversion(value *T) {
	if c.ThroughHub == nil {
		return
	}
	out := new(T)
	if err := c.ThroughHub(c.copyOf(value), out); err != nil {
		c.t.Errorf("to the hub and back: %v", err)
		return
	}
	if diff := difference(value, out); diff != "" {
		c.t.Errorf("conversion to the hub and back changes the value (-before +after):\n%s", diff)
	}
}
