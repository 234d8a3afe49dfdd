package database

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/keyprefix"
	"github.com/typeplane/typeplane/registry"
)

// Unserved names the resources that have objects in the main database and no kind in k, and says
// how many there are: "shelfs.shop.example.com (12)". Nobody sees them. A kind was taken out, or
// its resource is called otherwise now.
func (d *Databases) Unserved(ctx context.Context, k *Kinds) ([]string, error) {
	record := d.Main.Record()
	noted, _, err := record.Read(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range k.Resources {
		delete(noted, r.GroupResource().String())
	}
	if len(noted) == 0 {
		return nil, nil
	}
	places, _, err := record.Places(ctx)
	if err != nil {
		return nil, err
	}
	homes, err := record.Homes(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(noted)) {
		if !homes[name].Here() {
			continue
		}
		n, err := d.Main.countBelow(ctx, prefixesOf(name, places[name]), k)
		if err != nil {
			return nil, fmt.Errorf("count %s, which this program does not serve: %w", name, err)
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s (%d)", name, n))
		}
	}
	return found, nil
}

// prefixesOf are those below which a resource may have objects: the one of its name, and those that
// were noted.
func prefixesOf(name string, noted []string) []string {
	gr := schema.ParseGroupResource(name)
	prefixes := append([]string{keyprefix.Of(gr.Group, gr.Resource, ""), keyprefix.Plain(gr.Group, gr.Resource)}, noted...)
	slices.Sort(prefixes)
	return slices.Compact(prefixes)
}

// countBelow counts the entries below prefixes, but for those that a resource of k has.
func (d *Database) countBelow(ctx context.Context, prefixes []string, k *Kinds) (n int64, err error) {
	store := d.Record().Store
	for _, prefix := range prefixes {
		if slices.ContainsFunc(k.Resources, func(r registry.Resource) bool { return r.KeyPrefix() == prefix }) {
			continue
		}
		more, err := store.Count(ctx, prefix)
		if err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}
