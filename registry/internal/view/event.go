package view

import (
	"time"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// frames are those of one event, which this version shows as a type of event.
type frames struct {
	kept storage.Encodings
	key  frameKey
}

// frameKey is all that a frame depends on but the event.
type frameKey struct {
	kind  *runtime.Kind
	table *Columns
	shown rest.EventType
	rep   rest.Representation
	// second is the time for a Table, which has ages; 0 for all else.
	second int64
}

// Frames is where the frames of an event are kept that is shown as a type of event; nil: nowhere.
func (v Factory) Frames(kept storage.Encodings, shown rest.EventType) rest.Frames {
	if kept == nil || v.Decorate != nil { // what is shown may change without a write
		return nil
	}
	return &frames{kept, frameKey{kind: v.Kind, table: v.table, shown: shown}}
}

// Frame implements rest.Frames.
func (f *frames) Frame(rep rest.Representation, make func() ([]byte, error)) ([]byte, error) {
	key := f.key
	key.rep = rep
	if rep.As == rest.AsTable {
		key.second = time.Now().Unix()
	}
	return f.kept.Keep(key, make)
}
