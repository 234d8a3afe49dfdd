//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// readerGenerated reads one object. Messages in messages are read from the same bytes: end moves.
type readerGenerated struct {
	data   []byte
	shared bool // strings are parts of data

	start int    // of the field being read
	tag   uint64 // of that field; what is beyond 32 bits of its number does not count
	i     int    // what comes next
	end   int    // of the message being read
	err   error  // the first one; then i is behind data
	depth int    // of messages that can hold themselves

	words   slabGenerated[uint64]
	strings slabGenerated[string]
}

// longTag reads the tag of a field that starts with more than one byte; it is 0 after an error.
func (r *readerGenerated) longTag() {
	r.i = r.start
	r.tag = r.varint() & (1<<35 - 1)
}

// fail ends all reading.
func (r *readerGenerated) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.i = len(r.data)
}

// errWireGenerated says that a field is not written as its type asks for.
var errWireGenerated = errors.New("proto: wrong wire type")

// is fails if the field is not written in the given way.
func (r *readerGenerated) is(wire uint64) bool {
	if r.tag&7 != wire {
		r.fail(errWireGenerated)
		return false
	}
	return true
}

// done makes an error of this message say where it is: fields are "Name 1,Size 2".
func (r *readerGenerated) done(message, fields string) {
	if r.err != errWireGenerated {
		return
	}
	if r.tag&7 == endGroupGenerated {
		r.err = fmt.Errorf("proto: %s: wiretype end group for non-group", message)
		return
	}
	for field := range strings.SplitSeq(fields, ",") {
		if name, number, _ := strings.Cut(field, " "); number == strconv.FormatUint(r.tag>>3, 10) {
			r.err = fmt.Errorf("proto: wrong wireType = %d for field %s", r.tag&7, name)
		}
	}
}

// other passes over a field that the message does not know.
func (r *readerGenerated) other(message string) {
	switch number := int32(r.tag >> 3); {
	case r.err != nil:
	case r.tag&7 == endGroupGenerated:
		r.fail(fmt.Errorf("proto: %s: wiretype end group for non-group", message))
	case number <= 0:
		tag, _, _ := readVarintGenerated(r.data, r.start)
		r.fail(fmt.Errorf("proto: %s: illegal tag %d (wire type %d)", message, number, tag))
	default:
		r.skip(r.end)
	}
}

// skip passes over the field whose tag was read, which stops before end.
func (r *readerGenerated) skip(end int) {
	if r.err != nil {
		return
	}
	n, err := skipGenerated(r.data[r.start:r.end])
	switch {
	case err != nil:
		r.fail(err)
	case n > end-r.start:
		r.fail(io.ErrUnexpectedEOF)
	default:
		r.i = r.start + n
	}
}

// varint reads a number.
func (r *readerGenerated) varint() uint64 {
	v, next, err := readVarintGenerated(r.data[:r.end], min(r.i, r.end))
	if err != nil {
		r.fail(err)
		return 0
	}
	r.i = next
	return v
}

// length reads how long the value is that comes next; all of it is there.
func (r *readerGenerated) length() int {
	if !r.is(bytesGenerated) {
		return 0
	}
	if r.i < r.end && r.data[r.i] < 0x80 {
		size := int(r.data[r.i])
		if r.i++; size <= r.end-r.i {
			return size
		}
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	size := r.varint()
	switch {
	case r.err != nil:
		return 0
	case size > math.MaxInt-uint64(r.i):
		r.fail(ErrInvalidLengthGenerated)
		return 0
	case int(size) > r.end-r.i:
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	return int(size)
}

// enter starts a message in this one, which goes on at the returned end: to be assigned to r.end after reading it.
func (r *readerGenerated) enter() (end int) {
	end = r.end
	if i := r.i; i < end && r.data[i] < 0x80 && r.tag&7 == bytesGenerated && int(r.data[i]) < end-i {
		r.i = i + 1
		r.end = i + 1 + int(r.data[i])
		return end
	}
	size := r.length()
	if r.err == nil {
		r.end = r.i + size
	}
	return end
}

// entry starts an entry of a map, and returns where it stops. What is in it may go on behind that, which other readers
// of Kubernetes' bytes allow too; so end stays.
func (r *readerGenerated) entry() (stop int) {
	size := r.length()
	return r.i + size
}

// part reads the tag of the next part of an entry, and returns false after the last one, or after an error.
func (r *readerGenerated) part(stop int) bool {
	if r.i >= stop || r.err != nil {
		if r.err == nil {
			r.i = stop
		}
		return false
	}
	r.start, r.tag = r.i, uint64(r.data[r.i])
	if r.i++; r.tag >= 0x80 {
		r.longTag()
	}
	return true
}

// rest reads all of the message that was entered. It stays a part of data.
func (r *readerGenerated) rest() []byte {
	if r.err != nil {
		return nil
	}
	i := r.i
	r.i = r.end
	return r.data[i:r.end]
}

// check fails if there is an error.
func (r *readerGenerated) check(err error) {
	if err != nil {
		r.fail(err)
	}
}

// following counts the fields with the tag just read that stand between from and end, one after the other.
func (r *readerGenerated) following(from, end int) int {
	if from >= end || r.data[from] != r.data[r.start] {
		return 0
	}
	return followingGenerated(r.data[from:end], r.tag)
}

// followingGenerated counts the fields that data starts with and that have this tag.
func followingGenerated(data []byte, tag uint64) (n int) {
	for i := 0; i < len(data); n++ {
		next, at, err := readVarintGenerated(data, i)
		if err != nil || next != tag {
			return n
		}
		if tag&7 == bytesGenerated {
			_, i, err = readBytesGenerated(data, at)
		} else {
			_, i, err = readNumberGenerated(data, at, int(tag&7))
		}
		if err != nil {
			return n
		}
	}
	return n
}

// entries is how much room a new map gets: for the entry that was started and for those that follow. They may be the
// same one over and over, so there is a limit.
func (r *readerGenerated) entries(stop int) int {
	return min(1+r.following(stop, r.end), 1000)
}
