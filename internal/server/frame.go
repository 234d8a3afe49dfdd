package server

import (
	"bytes"
	"encoding/binary"

	"github.com/typeplane/typeplane/registry/rest"
)

// appendJSONEvent writes {"type":…,"object":…} and a newline.
func appendJSONEvent(buffer, _ *bytes.Buffer, event rest.Event, rep rest.Representation) error {
	buffer.WriteString(`{"type":"`)
	buffer.WriteString(string(event.Type))
	buffer.WriteString(`","object":`)
	if err := event.Object.WriteTo(buffer, rep); err != nil {
		return err
	}
	if b := buffer.Bytes(); len(b) > 0 && b[len(b)-1] == '\n' {
		buffer.Truncate(len(b) - 1)
	}
	buffer.WriteString("}\n")
	return nil
}

// Numbers of the fields in the protobuf of metav1.WatchEvent and of the runtime.RawExtension in it.
const (
	watchEventType   = 1
	watchEventObject = 2
	rawExtensionRaw  = 1
)

// lengthPrefix is how many bytes the length of a message has that comes before it.
const lengthPrefix = 4

// appendProtobufEvent writes the length of a message, big endian, and the message: a
// metav1.WatchEvent. The event itself has no envelope, because clients know what to expect; the
// object in it has one. scratch is used for the object, whose length comes before it.
func appendProtobufEvent(buffer, scratch *bytes.Buffer, event rest.Event, rep rest.Representation) error {
	scratch.Reset()
	if err := event.Object.WriteTo(scratch, rep); err != nil {
		return err
	}
	object := scratch.Bytes()

	head := make([]byte, lengthPrefix, 64)
	head = appendBytesField(head, watchEventType, event.Type)
	head = appendBytesHeader(head, watchEventObject, 1+uvarintLen(len(object))+len(object))
	head = appendBytesHeader(head, rawExtensionRaw, len(object))
	binary.BigEndian.PutUint32(head, uint32(len(head)-lengthPrefix+len(object)))

	buffer.Write(head)
	buffer.Write(object)
	return nil
}

// appendBytesField appends a field of a protobuf message that is a string, bytes or a message
// itself.
func appendBytesField[T ~string | ~[]byte](message []byte, number int, value T) []byte {
	return append(appendBytesHeader(message, number, len(value)), value...)
}

// appendBytesHeader appends what comes before the bytes of a field.
func appendBytesHeader(message []byte, number, length int) []byte {
	const bytesType = 2
	message = binary.AppendUvarint(message, uint64(number)<<3|bytesType)
	return binary.AppendUvarint(message, uint64(length))
}

func uvarintLen(n int) int {
	var scratch [binary.MaxVarintLen64]byte
	return binary.PutUvarint(scratch[:], uint64(n))
}
