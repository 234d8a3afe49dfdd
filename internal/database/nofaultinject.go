//go:build !faultinject

package database

import (
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
)

// These do nothing: bugs are planted where the tag says so only, see package internal/faultinject.

func plantAbove(s storage.Interface) storage.Interface { return s }

func plantBelow(s cacher.Source) cacher.Source { return s }

func PlantServed([]rest.Resource) {}

func plantEmbedded(*embedded.Config) {}
