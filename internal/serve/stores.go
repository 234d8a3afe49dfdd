package serve

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
)

// stores are the stores that are open, and what serves them.
type stores struct {
	// resources has one for each version, survey reads the stores behind them.
	resources []rest.Resource
	survey    *database.Surveyor
	// objects are those that are in a namespace and do not expire.
	objects []*registry.Objects
	// kept has what plug-ins keep for themselves, by the prefix of the keys.
	kept map[string]storage.Interface
}

// openStores opens the store of each resource and of each plug-in.
func (p *plan) openStores(dbs *database.Databases) (*stores, error) {
	schemas := registry.NewSchemas(p.program.OpenAPI)
	dbs.Measure(p.metrics)
	s := &stores{survey: &database.Surveyor{Kinds: p.known}, kept: map[string]storage.Interface{}}
	for n, r := range p.known.Resources {
		db := dbs.Of(r.GroupResource())
		writes := db.NewWriteCache()
		form, err := p.known.CachedForm(n, db.Root, writes)
		if err != nil {
			return nil, err
		}
		store, err := db.Store(r.KeyPrefix(), r.GroupResource(), form, writes)
		if err != nil {
			return nil, err
		}
		options := p.known.Options[n]
		options.Schemas = schemas
		if err := s.open(p.known, r, form, options, store); err != nil {
			return nil, err
		}
	}
	if err := p.openKept(s, dbs.Main); err != nil {
		return nil, err
	}
	dbs.Compact(p.options.Store.EtcdCompaction)
	p.openMigrator(s, dbs)
	return s, nil
}

// openMigrator makes what rewrites objects in an old form, if the operator wants that.
func (p *plan) openMigrator(s *stores, dbs *database.Databases) {
	changed := dbs.Reread
	if rate := p.options.Store.MigrationRate; rate > 0 {
		migrator := database.NewMigrator(s.survey, dbs, rate, p.log)
		s.survey.Migrator = migrator
		p.metrics.MustRegister(migrator)
		changed = func() {
			dbs.Reread()
			migrator.Again()
		}
	}
	p.known.StartEncryption(changed)
}

// open opens the store of a resource, and what serves it.
func (s *stores) open(known *database.Kinds, r registry.Resource, form storage.Form, options registry.Options, store storage.Interface) error {
	served, err := r.Serve(known.Scheme, store, options)
	if err != nil {
		return err
	}
	database.PlantServed(served)
	s.survey.Stores = append(s.survey.Stores, store)
	s.resources = append(s.resources, served...)
	if !r.Namespaced() || options.Lifetime > 0 {
		return nil
	}
	objects, err := r.Objects(known.Scheme, store, form, options)
	s.objects = append(s.objects, objects)
	return err
}

// openKept opens the stores of what the plug-ins that are on keep for themselves.
func (p *plan) openKept(s *stores, db *database.Database) error {
	served := &program.Host{Resources: pointers(s.resources)}
	for _, chosen := range p.plugins {
		if chosen.KeyPrefix == "" || program.Missing(served, chosen.Needs) != "" {
			continue
		}
		store, err := db.Store(chosen.KeyPrefix, schema.GroupResource{Resource: strings.Trim(chosen.KeyPrefix, "/")}, storage.Form{}, nil)
		if err != nil {
			return fmt.Errorf("admission plug-in %s: %w", chosen.Name, err)
		}
		s.kept[chosen.KeyPrefix] = store
	}
	return nil
}
