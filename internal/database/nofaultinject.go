//go:build !faultinject

package database

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
)

// These do nothing: bugs are planted where the tag says so only, see package internal/faultinject.

func plantAbove(s storage.Interface, _ schema.GroupResource) storage.Interface { return s }

func plantBelow(s cacher.Source, _ schema.GroupResource) cacher.Source { return s }

func PlantServed([]rest.Resource) {}

func plantEmbedded(*embedded.Config) {}
