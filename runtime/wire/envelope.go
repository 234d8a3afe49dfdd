package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Magic begins every envelope.
const Magic = "k8s\x00"

// ContentType is the media type of an envelope.
const ContentType = "application/vnd.kubernetes.protobuf"

// Field numbers of runtime.Unknown and runtime.TypeMeta.
const (
	unknownTypeMeta        = 1
	unknownRaw             = 2
	unknownContentEncoding = 3
	unknownContentType     = 4
	typeMetaAPIVersion     = 1
	typeMetaKind           = 2
)

var errNoMagic = errors.New(`not Kubernetes protobuf: it does not begin with "k8s\x00"`)

// Envelope is what wraps an object in protobuf. Its slices point into the bytes it was parsed from.
type Envelope struct {
	APIVersion, Kind []byte
	// Raw is the message of the object.
	Raw []byte
	// ContentEncoding and ContentType are empty for everything that this project or Kubernetes
	// writes.
	ContentEncoding, ContentType []byte
}

// HasEnvelope says whether data begins like an envelope.
func HasEnvelope(data []byte) bool {
	return len(data) >= len(Magic) && string(data[:len(Magic)]) == Magic
}

// ParseEnvelope takes an envelope apart. As in any protobuf message, the last one of a repeated
// field counts and unknown fields are skipped.
func ParseEnvelope(data []byte) (Envelope, error) {
	if !HasEnvelope(data) {
		return Envelope{}, errNoMagic
	}
	var e Envelope
	err := eachField(data[len(Magic):], func(num protowire.Number, typ protowire.Type, val []byte) error {
		if num > unknownContentType {
			return nil
		}
		if typ != protowire.BytesType {
			return fmt.Errorf("envelope field %d has wire type %d, want bytes", num, typ)
		}
		switch num {
		case unknownTypeMeta:
			return e.parseTypeMeta(val)
		case unknownRaw:
			e.Raw = val
		case unknownContentEncoding:
			e.ContentEncoding = val
		case unknownContentType:
			e.ContentType = val
		}
		return nil
	})
	if err != nil {
		return Envelope{}, fmt.Errorf("protobuf envelope: %w", err)
	}
	return e, nil
}

func (e *Envelope) parseTypeMeta(data []byte) error {
	return eachField(data, func(num protowire.Number, typ protowire.Type, val []byte) error {
		if num > typeMetaKind {
			return nil
		}
		if typ != protowire.BytesType {
			return fmt.Errorf("type field %d has wire type %d, want bytes", num, typ)
		}
		if num == typeMetaAPIVersion {
			e.APIVersion = val
		} else {
			e.Kind = val
		}
		return nil
	})
}

// AppendEnvelopeStart appends what comes before a raw object of rawSize bytes; after those comes
// AppendEnvelopeEnd.
func AppendEnvelopeStart(dst []byte, apiVersion, kind string, rawSize int) []byte {
	return appendEnvelopeStart(dst, apiVersion, kind, rawSize)
}

// AppendEnvelopeEnd appends what comes after the raw object.
func AppendEnvelopeEnd(dst []byte) []byte {
	// Kubernetes always writes these two, empty.
	return append(dst, unknownContentEncoding<<3|2, 0, unknownContentType<<3|2, 0)
}

// AppendEnvelope appends an envelope around raw.
func AppendEnvelope(dst []byte, apiVersion, kind string, raw []byte) []byte {
	dst = AppendEnvelopeStart(dst, apiVersion, kind, len(raw))
	dst = append(dst, raw...)
	return AppendEnvelopeEnd(dst)
}

// EnvelopeSize is the length of an envelope around a raw object of rawSize bytes.
func EnvelopeSize(apiVersion, kind string, rawSize int) int {
	return envelopeSize(len(apiVersion), len(kind), rawSize)
}

func appendEnvelopeStart[S string | []byte](dst []byte, apiVersion, kind S, rawSize int) []byte {
	dst = append(dst, Magic...)
	dst = append(dst, unknownTypeMeta<<3|2)
	dst = protowire.AppendVarint(dst, uint64(typeMetaSize(len(apiVersion), len(kind))))
	dst = append(dst, typeMetaAPIVersion<<3|2)
	dst = protowire.AppendVarint(dst, uint64(len(apiVersion)))
	dst = append(dst, apiVersion...)
	dst = append(dst, typeMetaKind<<3|2)
	dst = protowire.AppendVarint(dst, uint64(len(kind)))
	dst = append(dst, kind...)
	dst = append(dst, unknownRaw<<3|2)
	return protowire.AppendVarint(dst, uint64(rawSize))
}

func envelopeSize(apiVersion, kind, rawSize int) int {
	return len(Magic) + 1 + protowire.SizeBytes(typeMetaSize(apiVersion, kind)) + 1 + protowire.SizeBytes(rawSize) + 4
}

func typeMetaSize(apiVersion, kind int) int {
	return 1 + protowire.SizeBytes(apiVersion) + 1 + protowire.SizeBytes(kind)
}
