package server

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/typeplane/typeplane/internal/server/transport"
	"github.com/typeplane/typeplane/registry/rest"
)

// framer makes the frames of one watch.
type framer struct {
	rep    rest.Representation
	append func(frame, object *bytes.Buffer, event rest.Event, rep rest.Representation) error
	event  rest.Event
	fresh  func() ([]byte, error) // makes that of event
}

func newFramer(rep rest.Representation) *framer {
	f := &framer{rep: rep, append: appendJSONEvent}
	if rep.MediaType == rest.Protobuf {
		f.append = appendProtobufEvent
	}
	f.fresh = func() ([]byte, error) {
		b := framings.Get().(*framing)
		defer b.release()
		frame, err := f.make(b)
		return bytes.Clone(frame), err
	}
	return f
}

// frame returns the frame of the next event. Nobody may modify it; b may be used again when it is
// sent.
func (f *framer) frame(b *framing, event rest.Event) (frame []byte, err error) {
	f.event = event
	if event.Frames != nil {
		frame, err = event.Frames.Frame(f.rep, f.fresh)
	} else {
		frame, err = f.make(b)
	}
	f.event = rest.Event{}
	f.rep.NoHeaders = true // the columns of a Table are in the first event only
	return frame, err
}

func (f *framer) make(b *framing) ([]byte, error) {
	b.frame.Reset()
	err := f.append(&b.frame, &b.object, f.event, f.rep)
	return b.frame.Bytes(), err
}

// framing is room for what is sent. It belongs to a watch only while that sends something: most
// watches wait most of the time.
type framing struct {
	frame, object bytes.Buffer
	out           transport.FrameWriter // of several frames
}

var framings = sync.Pool{New: func() any { return new(framing) }}

// mostFraming is how long a frame may be for its room to be kept.
const mostFraming = 64 << 10

func (b *framing) release() {
	b.out.Reset(nil)
	if b.frame.Cap()+b.object.Cap() <= 2*mostFraming {
		framings.Put(b)
	}
}

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
