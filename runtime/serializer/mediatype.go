package serializer

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"

	"github.com/typeplane/typeplane/runtime/wire"
)

// MediaType names a form on the wire, without parameters.
type MediaType string

const (
	JSON     MediaType = "application/json"
	YAML     MediaType = "application/yaml"
	Protobuf MediaType = "application/vnd.kubernetes.protobuf"
)

// Framing is how the events of a watch are told apart on one connection.
type Framing int

const (
	// NoStream: the form can't be streamed.
	NoStream Framing = iota
	// SelfDelimiting: events are written one after the other.
	SelfDelimiting
	// LengthPrefix: four bytes before each event, big endian, are its length.
	LengthPrefix
)

// Type describes a form for content negotiation.
type Type struct {
	MediaType MediaType
	// Stream is how a watch is framed, StreamContentType what its Content-Type says.
	Stream            Framing
	StreamContentType string
	// Text says that the form is for people, so Pretty makes sense for it or it is so always.
	Text bool
}

var types = []Type{
	{MediaType: JSON, Stream: SelfDelimiting, StreamContentType: "application/json", Text: true},
	{MediaType: YAML, Text: true},
	{MediaType: Protobuf, Stream: LengthPrefix, StreamContentType: "application/vnd.kubernetes.protobuf;stream=watch"},
}

// Types returns all forms, in the order in which a server prefers them. The first is for who
// doesn't say.
func Types() []Type { return append([]Type(nil), types...) }

// TypeOf returns the form that a Content-Type header names. No header at all is JSON; parameters
// don't matter, but must be such.
func TypeOf(contentType string) (Type, bool) {
	if strings.TrimSpace(contentType) == "" {
		return types[0], true
	}
	name, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return Type{}, false
	}
	for _, t := range types {
		if string(t.MediaType) == name {
			return t, true
		}
	}
	return Type{}, false
}

// FormOf returns the form of a stored value. It is protobuf if the value begins with the envelope.
// It is YAML if it can't be JSON, but names an apiVersion as YAML does. It is CBOR, which nothing
// here reads, if it says so, and else JSON.
func FormOf(stored []byte) MediaType {
	switch {
	case wire.HasEnvelope(stored):
		return Protobuf
	case looksLikeJSON(stored):
		return JSON
	case bytes.HasPrefix(stored, cborTag):
		return cbor
	case bytes.Contains(stored, []byte("apiVersion:")):
		return YAML
	}
	return JSON
}

// Unwrap takes the base64 off a stored value that has it around protobuf, JSON or YAML, as
// Kubernetes does when it reads; it returns every other value itself.
func Unwrap(stored []byte) []byte {
	if wire.HasEnvelope(stored) || looksLikeJSON(stored) {
		return stored
	}
	inner := make([]byte, base64.StdEncoding.DecodedLen(len(stored)))
	n, err := base64.StdEncoding.Decode(inner, stored)
	if inner = inner[:n]; err != nil || FormOf(inner) == JSON && !looksLikeJSON(inner) {
		return stored
	}
	return inner
}

// cbor is the form of values that begin with cborTag.
const cbor MediaType = "application/cbor"

var cborTag = []byte{0xd9, 0xd9, 0xf7}

func looksLikeJSON(stored []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(stored, " \t\r\n"), []byte("{"))
}
