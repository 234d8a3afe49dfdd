package wire

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Tags of the fields of every list.
const (
	tagListMeta = 1<<3 | 2
	tagListItem = 2<<3 | 2
)

// A list is written in three steps, without ever being in memory as a whole: ItemSize for every item, whose sum gives
// the start, then AppendItem for each, then AppendEnvelopeEnd. Items carry no kind.

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

// AppendItem appends value, an object in its envelope, as an item of a list, with revision as its resourceVersion.
func AppendItem(dst, value []byte, revision int64) ([]byte, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return dst, err
	}
	var digits [20]byte
	rv := appendRevision(digits[:0], revision)
	metaSize, rawSize := s.sizes(value, len(rv))
	dst = append(dst, tagListItem)
	dst = protowire.AppendVarint(dst, uint64(rawSize))
	return s.appendMessage(dst, value, metaSize, rv), nil
}

// RawItemSize and AppendRawItem are the same for a message without an envelope, which is taken as it is.
func RawItemSize(rawSize int) int { return 1 + protowire.SizeBytes(rawSize) }

// AppendRawItem appends the message raw as an item of a list.
func AppendRawItem(dst, raw []byte) []byte {
	dst = append(dst, tagListItem)
	return protowire.AppendBytes(dst, raw)
}

// AppendListStart appends what comes before the items: the envelope's start and listMeta, the encoded metav1.ListMeta.
// itemsSize is the sum of the sizes of all items.
func AppendListStart(dst []byte, apiVersion, kind string, listMeta []byte, itemsSize int) []byte {
	dst = AppendEnvelopeStart(dst, apiVersion, kind, 1+protowire.SizeBytes(len(listMeta))+itemsSize)
	dst = append(dst, tagListMeta)
	return protowire.AppendBytes(dst, listMeta)
}

// appendRevision appends a revision as it is written in a resourceVersion.
func appendRevision(dst []byte, revision int64) []byte {
	if revision == 0 {
		return dst
	}
	return strconv.AppendInt(dst, revision, 10)
}

// revisionLen is the length of a revision as it is written in a resourceVersion.
func revisionLen(revision int64) int {
	n := 0
	for ; revision > 0; revision /= 10 {
		n++
	}
	return n
}
