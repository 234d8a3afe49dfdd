package view

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/runtime/wire"
)

const (
	// mostKept is how many bytes of converted items all lists of a process keep, together, and
	// keptPart which part of Go's memory limit, if that is less. With fewer at once most lists are
	// converted once, and with more some are converted twice.
	mostKept = 64 << 20
	keptPart = 8
	// piece is how much of them lies together.
	piece = 256 << 10
)

// keptBytes is how many there are.
var keptBytes atomic.Int64

// piecesPool is memory for pieces.
var piecesPool = sync.Pool{New: func() any { return new([piece]byte) }}

// keptItems are the first items of a list, as they are in its message. Whoever makes them drops
// them.
type keptItems struct {
	// all says that there has to be room for every item.
	all    bool
	items  int
	pieces [][]byte // their capacities are what keptBytes has of them
}

// add keeps the next item, if there is room for it.
func (k *keptItems) add(raw []byte) {
	size := wire.RawItemSize(len(raw))
	last := len(k.pieces) - 1
	if last < 0 || len(k.pieces[last])+size > cap(k.pieces[last]) {
		next, ok := k.room(size)
		if !ok {
			return
		}
		k.pieces, last = append(k.pieces, next), last+1
	}
	k.pieces[last] = wire.AppendRawItem(k.pieces[last], raw)
	k.items++
}

// room returns an empty buffer for at least so many bytes.
func (k *keptItems) room(size int) ([]byte, bool) {
	size = max(size, piece)
	if keptBytes.Add(int64(size)) > min(mostKept, debug.SetMemoryLimit(-1)/keptPart) && !k.all {
		keptBytes.Add(-int64(size))
		return nil, false
	}
	if size > piece {
		return make([]byte, 0, size), true
	}
	return piecesPool.Get().(*[piece]byte)[:0], true
}

// drop gives back the room of the first piece.
func (k *keptItems) drop() {
	first := k.pieces[0]
	k.pieces = k.pieces[1:]
	keptBytes.Add(-int64(cap(first)))
	if cap(first) == piece {
		piecesPool.Put((*[piece]byte)(first[:piece]))
	}
}

// dropAll gives back what there is still.
func (k *keptItems) dropAll() {
	for len(k.pieces) > 0 {
		k.drop()
	}
}
