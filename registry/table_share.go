package registry

import (
	"bytes"
	"encoding/binary"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/storage"
)

// The metadata of an object is most of its row, and it is in the object's JSON too, which lists
// keep. So a row that is kept has a hole for it: metadataHole, and four bytes that say how long it
// is. There is no such byte in JSON.
const (
	metadataHole = 1
	behindHole   = "}}" // what a row has behind its metadata
	holeSize     = 1 + 4
)

// itemStart is how the JSON of an item begins whose metadata comes first, as it does in all types
// that are written as Kubernetes' are.
const itemStart = `{"metadata":`

// keptRow is a row as it is kept, as long as it has to be: without its metadata, if the JSON of the
// object has the same.
func (t table) keptRow(row []byte, v version, e storage.Entry, memos *Memos) ([]byte, error) {
	if t.include != metav1.IncludeMetadata && t.include != "" {
		return slices.Clone(row), nil
	}
	item, err := v.keptItem(memos, e)
	if err != nil {
		return nil, err
	}
	_, metadata, ok := bytes.Cut(row, appendPartialStart([]byte(rowObject), t.gv))
	if !ok || !bytes.HasPrefix(item, []byte(itemStart)) {
		return slices.Clone(row), nil
	}
	if metadata = bytes.TrimSuffix(metadata, []byte(behindHole)); !bytes.HasPrefix(item[len(itemStart):], metadata) {
		return slices.Clone(row), nil
	}
	start := row[:len(row)-len(metadata)-len(behindHole)]
	kept := make([]byte, 0, len(start)+holeSize+len(behindHole))
	kept = binary.BigEndian.AppendUint32(append(append(kept, start...), metadataHole), uint32(len(metadata)))
	return append(kept, behindHole...), nil
}

// fill appends a kept row, with the ages that it has now and with its metadata, for which it asks
// for the JSON of the object.
func (t table) fill(dst, kept []byte, item func() ([]byte, error)) ([]byte, error) {
	hole := len(kept) - len(behindHole) - holeSize
	if hole < 0 || kept[hole] != metadataHole {
		return fillAges(dst, kept, t.now), nil
	}
	whole, err := item()
	if err != nil {
		return nil, err
	}
	dst = fillAges(dst, kept[:hole], t.now)
	size := binary.BigEndian.Uint32(kept[hole+1:])
	dst = append(dst, whole[len(itemStart):][:size]...)
	return append(dst, behindHole...), nil
}
