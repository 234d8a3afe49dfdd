// Package dissect names the fields in the bytes of a stored object, for people who look at them.
// Its one function is Fields.
package dissect

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Field is a field in the bytes: it begins with its tag, and Value is where what it holds begins.
// All are offsets from the first byte. A field that has others in it comes before them.
type Field struct {
	Path  string `json:"path"`
	Begin int    `json:"begin"`
	Value int    `json:"value"`
	End   int    `json:"end"`
}

// Fields names what is in a stored value that is protobuf of a kind of the scheme, in its envelope.
// Of anything else it names nothing. It fails if the message is damaged.
func Fields(scheme *runtime.Scheme, stored []byte) ([]Field, error) {
	envelope, err := wire.ParseEnvelope(stored)
	if err != nil {
		return nil, nil // it is in another form
	}
	apiVersion, name := string(envelope.APIVersion), string(envelope.Kind)
	raw := len(wire.AppendEnvelopeStart(nil, apiVersion, name, len(envelope.Raw)))
	kind, err := scheme.Kind(schema.FromAPIVersionAndKind(apiVersion, name))
	if err != nil || !bytes.HasPrefix(stored[min(raw, len(stored)):], envelope.Raw) {
		return nil, nil // it is of nothing that is known here
	}
	inside, err := kind.Parts(envelope.Raw)
	if err != nil {
		return nil, err
	}
	fields := []Field{
		{"magic", 0, 0, len(wire.Magic)},
		{"apiVersion and kind, length of the object", len(wire.Magic), len(wire.Magic), raw},
	}
	for _, f := range inside {
		fields = append(fields, Field{f.Path, raw + f.Begin, raw + f.Value, raw + f.End})
	}
	if inside == nil {
		fields = append(fields, Field{"the object", raw, raw, raw + len(envelope.Raw)})
	}
	if end := raw + len(envelope.Raw); end < len(stored) {
		fields = append(fields, Field{"end of the envelope", end, end, len(stored)})
	}
	return fields, nil
}
