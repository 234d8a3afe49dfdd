package wire

import (
	"errors"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Tags of the fields that lead to the resourceVersion. A kind's message begins with ObjectMeta, and
// Kubernetes' encoders write the fields of that in ascending order, the strings before the
// resourceVersion always.
const (
	tagTypeMeta        = unknownTypeMeta<<3 | 2
	tagRaw             = unknownRaw<<3 | 2
	tagObjectMeta      = 1<<3 | 2
	tagResourceVersion = metaResourceVersion<<3 | 2
)

// envelopeEnd is what AppendEnvelopeEnd appends.
const envelopeEnd = "\x1a\x00\x22\x00"

var (
	errNoObjectMeta      = errors.New("wire: the message does not begin with ObjectMeta")
	errNoResourceVersion = errors.New("wire: ObjectMeta has no resourceVersion where Kubernetes' encoders write it")
)

// AppendWithRevision appends value, an object in its envelope, with revision as its
// resourceVersion, whatever that was before. The result is what decoding, setting the
// resourceVersion and encoding again would give, if value was written by generated code. A revision
// of 0 stands for an object that was not stored: its resourceVersion becomes empty. After an error
// dst is returned as it was; it does not happen for canonical values.
func AppendWithRevision(dst, value []byte, revision int64) ([]byte, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return dst, err
	}
	digits := revisionLen(revision)
	metaSize, rawSize := s.sizes(value, digits)
	size := s.rawLength + protowire.SizeBytes(rawSize) + len(envelopeEnd)
	dst = slices.Grow(dst, size)
	out := dst[len(dst) : len(dst)+size]
	i := copy(out, value[:s.rawLength])
	i = putVarint(out, i, rawSize)
	i = s.putMessage(out, i, value, metaSize, digits, revision)
	copy(out[i:], envelopeEnd)
	return dst[:len(dst)+size], nil
}

// slot is where the resourceVersion of an object is in its envelope; all are offsets.
type slot struct {
	rawLength  int // the length of the message
	meta       int // the content of ObjectMeta
	metaEnd    int // what follows it
	start, end int // the tag of the resourceVersion, and what follows its value
}

// find fills s. It reads no more than the frame and the few fields before the resourceVersion. The
// envelope that it returns, which s is about, is value or the same in the form in which Kubernetes
// writes it.
func (s *slot) find(value []byte) ([]byte, error) {
	begin, end, ok := s.findRaw(value)
	if !ok {
		e, err := ParseEnvelope(value)
		if err != nil {
			return nil, err
		}
		value = AppendEnvelope(nil, string(e.APIVersion), string(e.Kind), e.Raw)
		begin, end, _ = s.findRaw(value)
	}
	if begin >= end || value[begin] != tagObjectMeta {
		return nil, errNoObjectMeta
	}
	size, i := length(value, begin+1)
	if i == 0 || size > end-i {
		return nil, errNoObjectMeta
	}
	s.meta, s.metaEnd = i, i+size
	fields := value[:s.metaEnd]
	for i < len(fields) {
		tag := fields[i]
		if tag > tagResourceVersion || tag&7 != 2 {
			break
		}
		// Nearly all of these strings are shorter than 128 bytes.
		next := i + 2
		if next <= len(fields) && fields[i+1] < 0x80 {
			next += int(fields[i+1])
		} else if size, content := length(fields, i+1); content != 0 {
			next = content + size
		} else {
			break
		}
		if next > len(fields) {
			break
		}
		if tag == tagResourceVersion {
			s.start, s.end = i, next
			return value, nil
		}
		i = next
	}
	return nil, errNoResourceVersion
}

// findRaw finds the message in an envelope as Kubernetes writes it. It does not look into
// apiVersion and kind.
func (s *slot) findRaw(value []byte) (begin, end int, ok bool) {
	end = len(value) - len(envelopeEnd)
	if end < len(Magic)+4 || !HasEnvelope(value) || string(value[end:]) != envelopeEnd || value[len(Magic)] != tagTypeMeta {
		return 0, 0, false
	}
	size, i := length(value, len(Magic)+1)
	if i == 0 || size >= end-i || value[i+size] != tagRaw {
		return 0, 0, false
	}
	s.rawLength = i + size + 1
	size, begin = length(value, s.rawLength)
	return begin, end, begin != 0 && size == end-begin
}

// length reads the length of a field at i. next is 0 if there is none, or none that fits into
// memory.
func length(b []byte, i int) (n, next int) {
	if i < len(b) && b[i] < 0x80 {
		return int(b[i]), i + 1
	}
	if i+1 < len(b) && b[i+1] < 0x80 {
		return int(b[i]&0x7f) | int(b[i+1])<<7, i + 2
	}
	if i > len(b) {
		return 0, 0
	}
	v, size := protowire.ConsumeVarint(b[i:])
	if size < 0 || v > uint64(len(b)) {
		return 0, 0
	}
	return int(v), i + size
}

// sizes returns the lengths of ObjectMeta and of the whole message with a resourceVersion of the
// given length.
func (s *slot) sizes(value []byte, revision int) (metaSize, rawSize int) {
	metaSize = s.metaEnd - s.meta - (s.end - s.start) + 1 + protowire.SizeBytes(revision)
	rest := len(value) - len(envelopeEnd) - s.metaEnd
	return metaSize, 1 + protowire.SizeBytes(metaSize) + rest
}

// putMessage writes the message at out[i:], with revision, which has so many digits, as its
// resourceVersion. It returns what follows it.
func (s *slot) putMessage(out []byte, i int, value []byte, metaSize, digits int, revision int64) int {
	i = s.putMeta(out, i, value, metaSize, digits, revision)
	return i + copy(out[i:], value[s.metaEnd:len(value)-len(envelopeEnd)])
}

// appendMeta appends the field with the metadata, and revision as its resourceVersion.
func (s *slot) appendMeta(dst, value []byte, metaSize, digits int, revision int64) []byte {
	size := 1 + protowire.SizeBytes(metaSize)
	dst = slices.Grow(dst, size)
	s.putMeta(dst[len(dst):len(dst)+size], 0, value, metaSize, digits, revision)
	return dst[:len(dst)+size]
}

// putMeta writes the field with the metadata at out[i:], as putMessage writes the message.
func (s *slot) putMeta(out []byte, i int, value []byte, metaSize, digits int, revision int64) int {
	out[i] = tagObjectMeta
	i = putVarint(out, i+1, metaSize)
	i += copy(out[i:], value[s.meta:s.start])
	out[i], out[i+1] = tagResourceVersion, byte(digits) // at most 19
	i += 2 + digits
	putDigits(out[i-digits:i], uint64(revision))
	return i + copy(out[i:], value[s.end:s.metaEnd])
}

// putDigits writes the last digits of n, as many as there is room for.
func putDigits(out []byte, n uint64) {
	i := len(out)
	for ; i >= 2; i -= 2 {
		pair := n % 100
		n /= 100
		out[i-1], out[i-2] = '0'+byte(pair%10), '0'+byte(pair/10)
	}
	if i == 1 {
		out[0] = '0' + byte(n%10)
	}
}

// putVarint writes a length at out[i:] and returns what follows it.
func putVarint(out []byte, i, n int) int {
	for ; n >= 0x80; n >>= 7 {
		out[i] = byte(n) | 0x80
		i++
	}
	out[i] = byte(n)
	return i + 1
}
