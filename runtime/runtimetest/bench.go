package runtimetest

import (
	"testing"
	"time"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

// pairs is how many operations of each side are timed at once.
const pairs = 256

// BenchAttributes measures what selectors need of a stored object, which has a label "app": by decoding it, and by reading
// it from the bytes. Both are timed in turns, so that a busy machine slows both; "times" is how much faster reading is.
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
				decoding += timed(b, decode)
				reading += timed(b, read)
			}
			b.ReportMetric(float64(decoding)/float64(reading), "times")
			b.ReportMetric(float64(decoding.Nanoseconds())/float64(b.N*pairs), "decode-ns")
			b.ReportMetric(float64(reading.Nanoseconds())/float64(b.N*pairs), "read-ns")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timed is how long pairs calls take.
func timed(b *testing.B, f func() error) time.Duration {
	start := time.Now()
	for range pairs {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}
