package codebench

import (
	"bytes"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/test/codebench/kinds"

	corev1 "k8s.io/api/core/v1"
)

// protoKind is a kind with the peer's methods and with our functions.
type protoKind struct {
	name        string
	empty       func() protoMessage
	unmarshal   func([]byte, protoMessage) error
	marshal     func(protoMessage) ([]byte, error)
	allocations float64 // what part of the peer's may be left when reading
}

// protoMessage is what k8s.io/api's own code offers.
type protoMessage interface {
	Unmarshal([]byte) error
	Marshal() ([]byte, error)
}

func newProtoKind[T any, P interface {
	*T
	protoMessage
}](name string, unmarshal func([]byte, P) error, marshal func([]byte, P) ([]byte, error), allocations float64) protoKind {
	return protoKind{
		name: name, allocations: allocations,
		empty:     func() protoMessage { return P(new(T)) },
		unmarshal: func(data []byte, m protoMessage) error { return unmarshal(data, m.(P)) },
		marshal:   func(m protoMessage) ([]byte, error) { return marshal(nil, m.(P)) },
	}
}

var protoKinds = []protoKind{
	newProtoKind("core.v1.Pod", kinds.UnmarshalShared_Pod, kinds.AppendProtobuf_Pod, 0.25),
	newProtoKind("apps.v1.Deployment", kinds.UnmarshalShared_Deployment, kinds.AppendProtobuf_Deployment, 0.25),
	newProtoKind("core.v1.Node", kinds.UnmarshalShared_Node, kinds.AppendProtobuf_Node, 0.5),
	newProtoKind("core.v1.ConfigMap", kinds.UnmarshalShared_ConfigMap, kinds.AppendProtobuf_ConfigMap, 0.5),
}

// BenchmarkUnmarshal compares reading in the mode that a server uses.
func BenchmarkUnmarshal(b *testing.B) {
	for _, k := range protoKinds {
		data := fixture(b, k.name, "pb")
		inTurns(b, k.name, func() error { return k.empty().Unmarshal(data) }, func() error { return k.unmarshal(data, k.empty()) })
	}
}

// BenchmarkMarshal compares writing.
func BenchmarkMarshal(b *testing.B) {
	for _, k := range protoKinds {
		m := k.empty()
		if err := m.Unmarshal(fixture(b, k.name, "pb")); err != nil {
			b.Fatal(err)
		}
		inTurns(b, k.name, func() error { _, err := m.Marshal(); return err }, func() error { _, err := k.marshal(m); return err })
	}
}

// inTurns measures two functions beside each other. A short batch of one comes after a short batch
// of the other, so that whatever else the machine does hits both. It reports the fastest twentieth
// of each and how many times faster ours is.
func inTurns(b *testing.B, name string, peer, ours func() error) {
	for side, f := range map[string]func() error{"peer": peer, "ours": ours} {
		b.Run(name+"/"+side, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run(name+"/ratio", func(b *testing.B) {
		const batch = 20
		var times [2][]float64
		for b.Loop() {
			for side, f := range []func() error{peer, ours} {
				start := time.Now()
				for range batch {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
				times[side] = append(times[side], float64(time.Since(start).Nanoseconds())/batch)
			}
		}
		slices.Sort(times[0])
		slices.Sort(times[1])
		peer, ours := times[0][len(times[0])/20], times[1][len(times[1])/20]
		b.ReportMetric(peer, "peer-ns")
		b.ReportMetric(ours, "ours-ns")
		b.ReportMetric(peer/ours, "times-faster")
		b.ReportMetric(0, "ns/op")
	})
}

// TestSameObjectAndBytes reads and writes the fixtures on both sides.
func TestSameObjectAndBytes(t *testing.T) {
	for _, k := range protoKinds {
		data := fixture(t, k.name, "pb")
		want, got := k.empty(), k.empty()
		if err := want.Unmarshal(data); err != nil {
			t.Fatal(err)
		}
		if err := k.unmarshal(data, got); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("%s: read differently: %v", k.name, err)
		}
		if out, err := k.marshal(got); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: written differently: %v", k.name, err)
		}
		for n := range data {
			theirs, ours := k.empty().Unmarshal(data[:n]), k.unmarshal(data[:n], k.empty())
			if (theirs == nil) != (ours == nil) {
				t.Fatalf("%s cut off at %d: %v, want %v", k.name, n, ours, theirs)
			}
		}
	}
}

// TestAllocations is the part of the budget that no noise can touch.
func TestAllocations(t *testing.T) {
	for _, k := range protoKinds {
		data := fixture(t, k.name, "pb")
		count := func(read func(protoMessage) error) float64 {
			return testing.AllocsPerRun(20, func() {
				if err := read(k.empty()); err != nil {
					t.Fatal(err)
				}
			})
		}
		peer := count(func(m protoMessage) error { return m.Unmarshal(data) })
		ours := count(func(m protoMessage) error { return k.unmarshal(data, m) })
		if t.Logf("%s: %v allocations, peer %v", k.name, ours, peer); ours > k.allocations*peer {
			t.Errorf("%s: %v allocations, want at most %v of %v", k.name, ours, k.allocations, peer)
		}
	}
}

// TestSharing shows what of an object is a part of the bytes that it was read from: strings and
// sets of fields, and nothing else.
func TestSharing(t *testing.T) {
	data := fixture(t, "core.v1.ConfigMap", "pb")
	var before, m corev1.ConfigMap
	if err := before.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	if err := kinds.UnmarshalShared_ConfigMap(data, &m); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if m.Name == before.Name {
		t.Error("the name was copied")
	}
	if reflect.DeepEqual(m.ManagedFields[0].FieldsV1, before.ManagedFields[0].FieldsV1) {
		t.Error("the set of fields of a managed fields entry was copied")
	}
	for _, value := range m.BinaryData {
		for _, want := range before.BinaryData {
			if !bytes.Equal(value, want) {
				t.Errorf("bytes are shared: %q, want %q", value, want)
			}
		}
	}
}

// TestConcurrentWriters shows that writers at the same time, of small and of large objects, don't
// mix.
func TestConcurrentWriters(t *testing.T) {
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for size := range 50 {
				text := string(bytes.Repeat([]byte{byte('a' + n)}, 1<<(size%20)))
				m := &corev1.ConfigMap{Data: map[string]string{"k": text, "l": "x"}}
				want, err := m.Marshal()
				if err != nil {
					t.Error(err)
				}
				if got, err := kinds.AppendProtobuf_ConfigMap(nil, m); err != nil || !bytes.Equal(want, got) {
					t.Errorf("%d bytes of %c: %v", len(text), 'a'+n, err)
				}
			}
		})
	}
	wg.Wait()
}

// FuzzUnmarshalShared feeds our decoders and the peer's with anything: both accept it or neither,
// with one meaning.
func FuzzUnmarshalShared(f *testing.F) {
	for i, k := range protoKinds {
		data := fixture(f, k.name, "pb")
		f.Add(byte(i), data)
		f.Add(byte(i), data[:len(data)/3])
	}
	f.Add(byte(3), []byte("\x12\x04\x0a\x00\x12\x01x"))
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		k := protoKinds[int(which)%len(protoKinds)]
		want, got := k.empty(), k.empty()
		theirs, ours := want.Unmarshal(data), k.unmarshal(data, got)
		if (theirs == nil) != (ours == nil) {
			t.Fatalf("%s: %v, want %v", k.name, ours, theirs)
		}
		if theirs != nil {
			return
		}
		first, err := want.Marshal()
		if err != nil {
			t.Skip(err)
		}
		if second, err := k.marshal(got); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s: %v\n%x\n%x", k.name, err, second, first)
		}
	})
}
