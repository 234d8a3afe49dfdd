//go:build faultinject

package database

import (
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/faultinject"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
)

// planting is what is broken on purpose in a server for test/oracle.
var planting = func() faultinject.Bug {
	bug, err := faultinject.Parse(os.Getenv("TYPEPLANE_PLANTED"))
	if err != nil {
		panic(err)
	}
	return bug
}()

func plantAbove(s storage.Interface, of schema.GroupResource) storage.Interface {
	return planting.Above(s, of.Resource)
}

func plantBelow(s cacher.Source, of schema.GroupResource) cacher.Source {
	return planting.Below(s, of.Resource)
}

func PlantServed(served []rest.Resource) { planting.Served(served) }

// plantEmbedded leaves the first start alone: if that is lost, there is nothing to be wrong about.
func plantEmbedded(c *embedded.Config) {
	c.NoSync = planting.Unsynced() && embedded.HasDatabase(c.Dir)
}
