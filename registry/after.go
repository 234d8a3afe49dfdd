package registry

import (
	"context"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// afterCreate tells the strategy of an entry that was created.
func (s *store) afterCreate(ctx context.Context, entry storage.Entry) {
	after := s.def.Strategy.AfterCreate
	if after == nil {
		return
	}
	if obj, err := s.parentOf(entry); err == nil { // what we have just written can be read
		after(ctx, obj)
	}
}

// afterUpdate tells the strategy of an entry that follows before.
func (s *store) afterUpdate(ctx context.Context, entry, before storage.Entry) {
	after := s.def.Strategy.AfterUpdate
	if after == nil {
		return
	}
	obj, err := s.parentOf(entry)
	if err != nil {
		return
	}
	if old, err := s.parentOf(before); err == nil {
		after(ctx, obj, old)
	}
}

// afterDelete tells the strategy of an entry that is gone. One that could not be read is nothing
// that it could be told of.
func (s *store) afterDelete(ctx context.Context, entry storage.Entry) {
	after := s.def.Strategy.AfterDelete
	if after == nil || entry.Err != nil {
		return
	}
	if obj, err := s.parentOf(entry); err == nil {
		after(ctx, obj)
	}
}

// warnNew asks the strategy what is odd about a new object.
func (e *endpoint) warnNew(ctx context.Context, w *write, hub runtime.Object) {
	if warnings := e.def.Strategy.WarningsOnCreate; warnings != nil {
		w.warn(warnings(ctx, hub))
	}
}

// warnChanged asks the strategy what is odd about an update, of the object or of its status.
func (e *endpoint) warnChanged(ctx context.Context, w *write, hub, old runtime.Object) {
	var warnings func(_ context.Context, obj, old runtime.Object) []string
	switch e.subresource {
	case "":
		warnings = e.def.Strategy.WarningsOnUpdate
	case subresourceStatus:
		warnings = e.def.Strategy.StatusUpdate.Warnings
	}
	if warnings != nil {
		w.warn(warnings(ctx, hub, old))
	}
}

func (w *write) warn(texts []string) {
	for _, text := range texts {
		w.Warn(text)
	}
}
