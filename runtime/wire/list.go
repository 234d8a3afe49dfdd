package wire

import (
	"math/bits"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Tags of the fields of every list.
const (
	tagListMeta = 1<<3 | 2
	tagListItem = 2<<3 | 2
)

// A list is written in three steps, without ever being in memory as a whole: ItemSize for every
// item, whose sum gives the start, then AppendItem for each, then AppendEnvelopeEnd. Items carry no
// kind.

// ItemSize is how many bytes AppendItem will append.
func ItemSize(value []byte, revision int64) (int, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return 0, err
	}
	_, rawSize := s.sizes(value, revisionLen(revision))
	return 1 + protowire.SizeBytes(rawSize), nil
}

// AppendItem appends value, an object in its envelope, as an item of a list, with revision as its
// resourceVersion.
func AppendItem(dst, value []byte, revision int64) ([]byte, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return dst, err
	}
	digits := revisionLen(revision)
	metaSize, rawSize := s.sizes(value, digits)
	size := 1 + protowire.SizeBytes(rawSize)
	dst = slices.Grow(dst, size)
	out := dst[len(dst) : len(dst)+size]
	out[0] = tagListItem
	i := putVarint(out, 1, rawSize)
	s.putMessage(out, i, value, metaSize, digits, revision)
	return dst[:len(dst)+size], nil
}

// RawItemSize and AppendRawItem are the same for a message without an envelope, which is taken as
// it is.
func RawItemSize(rawSize int) int { return 1 + protowire.SizeBytes(rawSize) }

// AppendRawItem appends the message raw as an item of a list.
func AppendRawItem(dst, raw []byte) []byte {
	dst = append(dst, tagListItem)
	return protowire.AppendBytes(dst, raw)
}

// AppendListStart appends what comes before the items: the envelope's start and listMeta, the
// encoded metav1.ListMeta. itemsSize is the sum of the sizes of all items.
func AppendListStart(dst []byte, apiVersion, kind string, listMeta []byte, itemsSize int) []byte {
	dst = AppendEnvelopeStart(dst, apiVersion, kind, 1+protowire.SizeBytes(len(listMeta))+itemsSize)
	dst = append(dst, tagListMeta)
	return protowire.AppendBytes(dst, listMeta)
}

// revisionLen is the length of a revision as it is written in a resourceVersion.
func revisionLen(revision int64) int {
	if revision <= 0 {
		return 0
	}
	// 1233/4096 is nearly the logarithm of 2 to the base 10: the product is the length, or one
	// less.
	n := bits.Len64(uint64(revision)) * 1233 >> 12
	if uint64(revision) >= powers[n] {
		n++
	}
	return n
}

// powers are those of ten.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := range p[1:] {
		p[i+1] = 10 * p[i]
	}
	return p
}()
