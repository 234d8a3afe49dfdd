package runtimetest

import (
	goruntime "runtime"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

// How many operations of each side are measured at once: some ten milliseconds of either.
const decodes, reads = 4 << 10, 64 << 10

// BenchAttributes measures what selectors need of a stored object, which has a label "app": by
// decoding it, and by reading it from the bytes. They take turns, so that a busy machine slows
// both; "times" is how much less processor time reading takes.
func BenchAttributes(b *testing.B, scheme *runtime.Scheme, obj runtime.Object) {
	kind, err := scheme.KindOf(obj)
	if err != nil {
		b.Fatal(err)
	}
	value, err := serializer.AppendProtobuf(nil, obj, kind.GroupVersionKind())
	if err != nil {
		b.Fatal(err)
	}
	labels, all := stored(kind, obj)
	place, _ := kind.StoredField(labels[0])
	one := wire.NewReader(place)
	decode := func() error {
		message, err := wire.Message(value)
		if err != nil {
			return err
		}
		obj := kind.New()
		if err := obj.(runtime.Protobuf).Unmarshal(message); err != nil {
			return err
		}
		_, _ = runtime.Meta(obj).Labels["app"], kind.SelectableFields(obj)
		return nil
	}
	for _, asked := range []struct {
		name   string
		label  bool
		fields *wire.Reader
	}{{"label", true, nil}, {"field", false, one}, {"label and field", true, one}, {"label and all fields", true, all}} {
		var texts []string
		read := func() error {
			message, err := wire.Message(value)
			if err == nil && asked.label {
				_, _, err = wire.Label(message, "app")
			}
			if err == nil && asked.fields != nil {
				texts, err = asked.fields.Read(texts[:0], message)
			}
			return err
		}
		b.Run(asked.name, func(b *testing.B) {
			var decoding, reading time.Duration
			for b.Loop() {
				decoding += consumed(b, decodes, decode)
				reading += consumed(b, reads, read)
			}
			each := [2]float64{float64(decoding) / float64(b.N*decodes), float64(reading) / float64(b.N*reads)}
			b.ReportMetric(each[0]/each[1], "times")
			b.ReportMetric(each[0], "decode-ns")
			b.ReportMetric(each[1], "read-ns")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// consumed is the processor time that n calls take, with that of the collection of their garbage
// and of no other.
func consumed(b *testing.B, n int, f func() error) time.Duration {
	goruntime.GC()
	before := processorTime(b)
	for range n {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	return processorTime(b) - before
}

// processorTime is what the kernel has counted for this process.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
