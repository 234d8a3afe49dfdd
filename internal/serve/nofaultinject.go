//go:build !faultinject

package serve

import (
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
)

// These do nothing: bugs are planted where the tag says so only, see package internal/faultinject.

func plantAbove(s storage.Interface) storage.Interface { return s }
func plantBelow(s cacher.Source) cacher.Source         { return s }
func plantServed([]rest.Resource)                      {}
func plantEmbedded(*embedded.Config)                   {}
