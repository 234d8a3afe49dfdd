package database

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/migration"
)

// The main database notes which resources have an etcd of their own. A server that is told
// otherwise does not start: it would not see their objects, and make others beside them.

// CheckHomes refuses to look for objects where they are not, and notes where they are.
func (d *Databases) CheckHomes(ctx context.Context, k *Kinds) error {
	homes, err := d.Main.Record().Homes(ctx)
	if err != nil {
		return err
	}
	for _, r := range k.Resources {
		if err := d.checkHome(ctx, r, homes[r.GroupResource().String()]); err != nil {
			return err
		}
	}
	return nil
}

// checkHome is CheckHomes for one resource, with what the main database notes of it.
func (d *Databases) checkHome(ctx context.Context, r registry.Resource, noted migration.Home) error {
	name, of := r.GroupResource().String(), d.Of(r.GroupResource())
	if noted.Moving != nil {
		return fmt.Errorf("the objects of %s are being moved from %s to %s, and that has not come to its end: run `migrate --resource %s --to %s` again, which goes on, or with --to %s, which undoes it",
			name, homeName(noted), homeName(*noted.Moving), overrideName(r.GroupResource()), homeFlag(*noted.Moving), homeFlag(noted))
	}
	if of == d.Main {
		if len(noted.Servers) == 0 {
			return nil
		}
		return fmt.Errorf("the objects of %s are in another etcd: start with --etcd-servers-overrides=%s#%s, or move them back with `migrate --resource %[2]s --to main`",
			name, overrideName(r.GroupResource()), strings.Join(noted.Servers, ";"))
	}
	home, err := homeOf(ctx, of)
	if err != nil {
		return err
	}
	if len(noted.Servers) > 0 {
		if noted.ID != home.ID {
			return fmt.Errorf("--etcd-servers-overrides: the objects of %s are in the etcd of %s, and %s is another one: name the former, or move them with `migrate --resource %s --to %s`",
				name, homeName(noted), homeName(home), overrideName(r.GroupResource()), homeFlag(home))
		}
	}
	n, err := d.Main.Source(storage.Form{}).Count(ctx, r.KeyPrefix())
	switch {
	case err != nil:
		return fmt.Errorf("look for objects of %s: %w", name, err)
	case n > 0 && noted.Leaving != nil:
		return fmt.Errorf("the objects of %s have been moved to %s, and not all are deleted where they were: run `migrate --resource %s --to %s` again", name, homeName(noted), overrideName(r.GroupResource()), homeFlag(noted))
	case n > 0 && len(noted.Servers) > 0:
		return fmt.Errorf("%d objects of %s were written to the main database after they had been moved to %s, by a server that was frozen meanwhile: look at them with inspect %s, write them anew, and delete them with etcdctl",
			n, name, homeName(noted), r.KeyPrefix())
	case n > 0:
		return fmt.Errorf("--etcd-servers-overrides: there are %d objects of %s in the etcd of all other resources, and nobody would see them: move them with `migrate --resource %s --to %s`, or leave the override out",
			n, name, overrideName(r.GroupResource()), homeFlag(home))
	}
	if len(noted.Servers) > 0 {
		return nil
	}
	return d.Main.Record().House(ctx, name, migration.Home{}, home)
}

// GuardHomes waits until the main database says that objects of a resource are elsewhere, or are
// being moved, and returns that as ErrElsewhere. It returns nil when ctx ends.
func (d *Databases) GuardHomes(ctx context.Context, k *Kinds) error {
	if d.Main.exclusive() {
		return nil
	}
	for ctx.Err() == nil {
		if err := d.guardHomes(ctx, k); err != nil {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return nil
}

// guardHomes is GuardHomes until the watch breaks.
func (d *Databases) guardHomes(ctx context.Context, k *Kinds) error {
	changed, end, err := d.Main.Record().Watch(ctx)
	if err != nil {
		return nil // it is tried again
	}
	defer end()
	for {
		homes, err := d.Main.Record().Homes(ctx)
		if err != nil {
			return nil
		}
		for _, r := range k.Resources {
			noted, own := homes[r.GroupResource().String()], d.Of(r.GroupResource()) != d.Main
			if noted.Moving != nil || own != (len(noted.Servers) > 0) {
				return fmt.Errorf("%w: somebody moves the objects of %s to another etcd; start this server again when `migrate --resource` has come to its end", ErrElsewhere, r.GroupResource())
			}
		}
		if err := changed(ctx); err != nil {
			return nil
		}
	}
}

// homeOf says where an override is.
func homeOf(ctx context.Context, d *Database) (migration.Home, error) {
	id, err := d.identity(ctx)
	return migration.Home{Servers: d.servers, ID: id}, err
}

// identityKey holds what no other database has there. What an etcd calls its cluster would not do:
// that is made of its settings, and many have the same.
const identityKey = "/.identity"

// identity tells a database from others. It is made when somebody asks for the first time.
func (d *Database) identity(ctx context.Context) (string, error) {
	source := d.Source(storage.Form{})
	for {
		e, err := source.Get(ctx, identityKey, storage.GetOptions{})
		if storage.CodeOf(err) == storage.CodeNotFound {
			e, err = source.Create(ctx, identityKey, []byte(uuid.NewString()))
		}
		if storage.CodeOf(err) == storage.CodeExists {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("ask which database it is: %w", err)
		}
		return string(e.Value), nil
	}
}

// homeName is what people call the database of a home.
func homeName(h migration.Home) string {
	if len(h.Servers) == 0 {
		return "the main database"
	}
	return strings.Join(h.Servers, ";")
}

// homeFlag is a home as the value of --to.
func homeFlag(h migration.Home) string {
	if len(h.Servers) == 0 {
		return MainHome
	}
	return "'" + strings.Join(h.Servers, ";") + "'"
}

// MainHome is what --to calls the database of all resources that have no other.
const MainHome = "main"
