package etcd3

import (
	"errors"
	"fmt"
	"io"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// codec is gRPC's own, except for the answers of a range. gRPC puts all pieces of an answer
// together before it takes that apart again. For a page of a large list that is tens of megabytes
// once more. Here each key and each value is copied once, out of the pieces that came off the
// connection to where it is kept.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	answer, ok := message.(*etcdserverpb.RangeResponse)
	if !ok {
		return c.CodecV2.Unmarshal(data, message)
	}
	answer.Reset()
	p := pieces{next: data, left: data.Len()}
	if err := p.answer(answer); err != nil {
		return fmt.Errorf("answer of a range: %w", err)
	}
	return nil
}

// slab is how many key-value pairs of a large answer lie side by side.
const slab = 128

// answer reads all that is left.
func (p *pieces) answer(answer *etcdserverpb.RangeResponse) error {
	var pairs []mvccpb.KeyValue
	for p.left > 0 {
		switch p.tag() {
		case tag(1, protowire.BytesType):
			if answer.Header == nil {
				answer.Header = new(etcdserverpb.ResponseHeader)
			}
			header := p.bytes()
			if p.err == nil {
				p.err = proto.UnmarshalOptions{Merge: true, DiscardUnknown: true}.Unmarshal(header, answer.Header)
			}
		case tag(2, protowire.BytesType):
			if len(pairs) == 0 {
				pairs = make([]mvccpb.KeyValue, min(max(len(answer.Kvs), 1), slab))
			}
			p.pair(&pairs[0])
			answer.Kvs, pairs = append(answer.Kvs, &pairs[0]), pairs[1:]
		case tag(3, protowire.VarintType):
			answer.More = p.varint() != 0
		case tag(4, protowire.VarintType):
			answer.Count = int64(p.varint())
		default:
			p.skip()
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// pair reads a message with its length before it.
func (p *pieces) pair(kv *mvccpb.KeyValue) {
	n := p.length()
	behind := p.left - n
	for p.left > behind {
		switch p.tag() {
		case tag(1, protowire.BytesType):
			kv.Key = p.bytes()
		case tag(2, protowire.VarintType):
			kv.CreateRevision = int64(p.varint())
		case tag(3, protowire.VarintType):
			kv.ModRevision = int64(p.varint())
		case tag(4, protowire.VarintType):
			kv.Version = int64(p.varint())
		case tag(5, protowire.BytesType):
			kv.Value = p.bytes()
		case tag(6, protowire.VarintType):
			kv.Lease = int64(p.varint())
		default:
			p.skip()
		}
	}
	if p.left < behind {
		p.fail(errors.New("a field is longer than its message"))
	}
}

// pieces are a message as it came off the connection. After an error nothing is left, and what is
// read is zero.
type pieces struct {
	here []byte // what is left of the piece before next
	next mem.BufferSlice
	left int // bytes, with those of next
	last uint64
	err  error
}

func tag(number protowire.Number, wire protowire.Type) uint64 {
	return protowire.EncodeTag(number, wire)
}

func (p *pieces) fail(err error) {
	if p.err == nil {
		p.err = err
	}
	p.here, p.next, p.left = nil, nil, 0
}

// fill makes sure that there is something in here, and says whether there is.
func (p *pieces) fill() bool {
	for len(p.here) == 0 {
		if len(p.next) == 0 {
			p.fail(io.ErrUnexpectedEOF)
			return false
		}
		p.here, p.next = p.next[0].ReadOnlyData(), p.next[1:]
	}
	return true
}

// tag reads what comes before a field.
func (p *pieces) tag() uint64 {
	p.last = p.varint()
	if p.err == nil && (p.last>>3 == 0 || p.last>>3 > uint64(protowire.MaxValidNumber)) {
		p.fail(fmt.Errorf("%d is not a tag", p.last))
	}
	return p.last
}

func (p *pieces) varint() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		if !p.fill() {
			return 0
		}
		b := p.here[0]
		p.here, p.left = p.here[1:], p.left-1
		if v |= uint64(b&0x7f) << shift; b < 0x80 {
			if shift == 63 && b > 1 {
				break
			}
			return v
		}
	}
	p.fail(errors.New("a number has more than 64 bits"))
	return 0
}

// length reads how long something is that must be there.
func (p *pieces) length() int {
	n := p.varint()
	if n > uint64(p.left) {
		p.fail(io.ErrUnexpectedEOF)
		return 0
	}
	return int(n)
}

// bytes returns a copy of bytes with their length before them; nil for none.
func (p *pieces) bytes() []byte {
	n := p.length()
	if n == 0 {
		return nil
	}
	out := make([]byte, n)
	for filled := 0; filled < n && p.fill(); {
		m := copy(out[filled:], p.here)
		p.here, p.left, filled = p.here[m:], p.left-m, filled+m
	}
	return out
}

// skip passes over the field whose tag was read last, which a newer etcd may send.
func (p *pieces) skip() {
	n := 0
	switch protowire.Type(p.last & 7) {
	case protowire.VarintType:
		p.varint()
	case protowire.Fixed32Type:
		n = 4
	case protowire.Fixed64Type:
		n = 8
	case protowire.BytesType:
		n = p.length()
	default:
		p.fail(fmt.Errorf("field %d has wire type %d", p.last>>3, p.last&7))
	}
	if n > p.left {
		p.fail(io.ErrUnexpectedEOF)
	}
	for n > 0 && p.fill() {
		m := min(n, len(p.here))
		p.here, p.left, n = p.here[m:], p.left-m, n-m
	}
}
