// Package document keeps objects as the JSON that was sent, for kinds that have no protobuf.
//
// A Document is an object in JSON except for its kind and its metadata, which lie beside it. Read
// makes one of what was sent. It drops what the Go type of the kind has no field for. Everything
// else stays, also what the Go value would write in another way or leave out ("60s", an empty list,
// a false). Default and Change then bring in what happened to the Go value: each compares how it
// was printed before and after, and does the same to the document.
//
// In a canonical value the document stands behind the metadata in the message, so that what reads
// metadata from bytes works for all kinds. Such values are in the memory of one process only. Start
// reading at Document.
package document

import (
	"bytes"
	"errors"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Document is an object in JSON without kind, apiVersion and metadata. Its slices are not modified.
type Document struct {
	// Members are the others with their names and without braces, sorted by name: `"spec":{…}`. It
	// is empty for none.
	Members []byte
	// Status is the value of the member status, which some writes are about and others leave alone;
	// nil: there is none.
	Status []byte
}

// Numbers of the fields in the message of a canonical value; the metadata is the first.
const (
	fieldMembers = 2
	// StatusField is the number of the status.
	StatusField = 3
)

// AppendMessage appends the message of a canonical value, without an envelope. meta is an encoded
// metav1.ObjectMeta.
func (d Document) AppendMessage(dst, meta []byte) []byte {
	dst = wire.AppendBytesField(dst, 1, meta)
	if len(d.Members) > 0 {
		dst = wire.AppendBytesField(dst, fieldMembers, d.Members)
	}
	if d.Status != nil {
		dst = wire.AppendBytesField(dst, StatusField, d.Status)
	}
	return dst
}

// ReadMessage reads what AppendMessage has written. Both parts point into message.
func ReadMessage(message []byte) (meta []byte, d Document, err error) {
	wire.EachField(message, func(number int32, body []byte) bool {
		switch number {
		case 1:
			meta = body
		case fieldMembers:
			d.Members = body
		case StatusField:
			d.Status = body
		}
		return true
	})
	if meta == nil {
		return nil, Document{}, errors.New("it has no metadata")
	}
	return meta, d, nil
}

// Append appends the members, each with a comma before it: what stands behind the metadata of an
// object.
func (d Document) Append(dst []byte) []byte {
	if len(d.Members) > 0 {
		dst = append(append(dst, ','), d.Members...)
	}
	if d.Status != nil {
		dst = append(append(dst, `,"status":`...), d.Status...)
	}
	return dst
}

// AppendObject appends the members as an object of their own.
func (d Document) AppendObject(dst []byte) []byte {
	start := len(dst)
	dst = append(d.Append(dst), '}')
	if len(dst) == start+1 {
		return append(dst[:start], "{}"...)
	}
	dst[start] = '{'
	return dst
}

// Equal says whether two documents are the same, byte for byte.
func (d Document) Equal(other Document) bool {
	return bytes.Equal(d.Members, other.Members) && bytes.Equal(d.Status, other.Status)
}

// The members of an object that are no part of its document.
const (
	memberKind       = "kind"
	memberAPIVersion = "apiVersion"
	memberMetadata   = "metadata"
	memberStatus     = "status"
)

func inDocument(name string) bool {
	return name != memberKind && name != memberAPIVersion && name != memberMetadata
}

// Split makes a document of an object as a Go value writes it: compact, its members in the order of
// the fields. It is to be compared with others of the same type.
func Split(text []byte) (Document, error) {
	var d Document
	r := runtimejson.NewReader(text)
	for object := r.BeginObject(""); object && r.NextField(""); {
		name := r.Name()
		switch {
		case !inDocument(name):
			r.Raw()
		case name == memberStatus:
			d.Status = r.Raw()
		default:
			if len(d.Members) > 0 {
				d.Members = append(d.Members, ',')
			}
			d.Members = append(runtimejson.AppendString(d.Members, name), ':')
			d.Members = append(d.Members, r.Raw()...)
		}
	}
	return d, r.Err()
}

// WithStatus is the document with the status of another one.
func (d Document) WithStatus(other Document) Document { return Document{d.Members, other.Status} }
