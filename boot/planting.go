//go:build planted

package boot

import (
	"os"

	"github.com/typeplane/typeplane/internal/planted"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// planting is what is broken on purpose in a server for test/oracle.
var planting = func() planted.Bug {
	bug, err := planted.Parse(os.Getenv("TYPEPLANE_PLANTED"))
	if err != nil {
		panic(err)
	}
	return bug
}()

func plantAbove(s storage.Interface) storage.Interface { return planting.Above(s) }
func plantBelow(s cacher.Source) cacher.Source         { return planting.Below(s) }
func plantServed(served []rest.Resource)               { planting.Served(served) }
