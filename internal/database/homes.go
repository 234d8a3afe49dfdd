package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/typeplane/typeplane/internal/bookkeeping"
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

// CheckStill refuses to write beside a move. It is for commands, which do not go along.
func (d *Databases) CheckStill(ctx context.Context, k *Kinds) error {
	homes, err := d.Main.Record().Homes(ctx)
	if err != nil {
		return err
	}
	for _, r := range k.Resources {
		name := r.GroupResource().String()
		if noted := homes[name]; noted.Moving != nil {
			return fmt.Errorf("the objects of %s are being moved from %s to %s: wait until that has come to its end, or undo it with `migrate --resource %s --to %s`",
				name, homeName(noted), homeName(*noted.Moving), overrideName(r.GroupResource()), homeFlag(noted))
		}
	}
	return d.CheckHomes(ctx, k)
}

// checkHome is CheckHomes for one resource, with what the main database notes of it.
func (d *Databases) checkHome(ctx context.Context, r registry.Resource, noted migration.Home) error {
	name, of := r.GroupResource().String(), d.Of(r.GroupResource())
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
	if noted.Moving != nil && noted.ID != home.ID {
		return fmt.Errorf("--etcd-servers-overrides: the objects of %s are being moved from %s to %s, and that has not come to its end: start as before, and run `migrate --resource %s --to %s` again, which goes on, or with --to %s, which undoes it",
			name, homeName(noted), homeName(*noted.Moving), overrideName(r.GroupResource()), homeFlag(*noted.Moving), homeFlag(noted))
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
		return nil // what is behind its barrier is nobody's, and the next run of the move deletes it
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
	if err := lift(ctx, of, r.KeyPrefix()); err != nil {
		return err
	}
	return d.Main.Record().House(ctx, name, migration.Home{}, home)
}

// caughtUp fails as long as objects are, or will be, in a database that this server has not opened.
func (d *Databases) caughtUp(ctx context.Context) error {
	if d.Main.exclusive() {
		return nil
	}
	homes, err := d.Main.Record().Homes(ctx)
	if err != nil {
		return err
	}
	open := map[string]bool{"": true}
	for _, o := range d.Overrides() {
		id, err := o.identity(ctx)
		if err != nil {
			return err
		}
		open[id] = true
	}
	for _, r := range d.kinds.Resources {
		name := r.GroupResource().String()
		home := homes[name]
		if !open[home.ID] || home.Moving != nil && !open[home.Moving.ID] {
			return &storage.Error{Code: storage.CodeMoved, Op: "look for objects of", Key: name, Err: errors.New("this server has not opened the etcd that they move to")}
		}
	}
	return nil
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
		id, _, err := bookkeeping.Decode(identityKey, e.Value, bookkeeping.First.Number)
		return string(id), err
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
