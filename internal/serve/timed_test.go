package serve

import (
	"context"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// brokenSource is down, except that it knows of one object that it is missing.
type brokenSource struct{ cacher.Source }

func (brokenSource) Get(_ context.Context, key string, _ storage.GetOptions) (storage.Entry, error) {
	code := storage.CodeUnavailable
	if key == "/missing" {
		code = storage.CodeNotFound
	}
	return storage.Entry{}, &storage.Error{Code: code, Op: "get", Key: key}
}
