package wire

import "google.golang.org/protobuf/encoding/protowire"

// A PartialObjectMetadata is a message whose only field is the metadata, with the same number as in
// every kind; so it is cut out of the object's bytes.

// ObjectMeta returns the encoded metav1.ObjectMeta of value, an object in its envelope. It points
// into value.
func ObjectMeta(value []byte) ([]byte, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return nil, err
	}
	return value[s.meta:s.metaEnd], nil
}

// AppendPartial appends, in an envelope of the given kind, the metadata of value with revision as
// its resourceVersion. After an error dst is returned as it was.
func AppendPartial(dst []byte, apiVersion, kind string, value []byte, revision int64) ([]byte, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return dst, err
	}
	digits := revisionLen(revision)
	metaSize, _ := s.sizes(value, digits)
	dst = AppendEnvelopeStart(dst, apiVersion, kind, 1+protowire.SizeBytes(metaSize))
	return AppendEnvelopeEnd(s.appendMeta(dst, value, metaSize, digits, revision)), nil
}

// PartialItemSize is how many bytes AppendPartialItem will append.
func PartialItemSize(value []byte, revision int64) (int, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return 0, err
	}
	metaSize, _ := s.sizes(value, revisionLen(revision))
	return RawItemSize(1 + protowire.SizeBytes(metaSize)), nil
}

// AppendPartialItem appends the metadata of value as an item of a list, with revision as its
// resourceVersion.
func AppendPartialItem(dst, value []byte, revision int64) ([]byte, error) {
	var s slot
	value, err := s.find(value)
	if err != nil {
		return dst, err
	}
	digits := revisionLen(revision)
	metaSize, _ := s.sizes(value, digits)
	dst = append(dst, tagListItem)
	dst = protowire.AppendVarint(dst, uint64(1+protowire.SizeBytes(metaSize)))
	return s.appendMeta(dst, value, metaSize, digits, revision), nil
}
