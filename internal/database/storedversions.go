package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/encryption"
	"github.com/typeplane/typeplane/storage/migration"
)

// A program that no longer has a version can't read what is stored in it. So the database knows
// which versions there may be in it, and a server that lacks one does not start.

// CheckVersions refuses a database in which there may be a version that this program does not have,
// and notes in it those that this server will write.
func (k *Kinds) CheckVersions(ctx context.Context, db *Database, program string) error {
	record := db.Record()
	noted, _, err := record.Read(ctx)
	if err != nil {
		return err
	}
	may := migration.Versions{}
	var lacking []error
	for n, r := range k.Resources {
		name, has := r.GroupResource().String(), k.versions(n)
		stored, known := noted[name]
		if !known {
			// It is the first start on this database, or the first of a program with this resource.
			if stored, err = k.scan(ctx, n, db); err != nil {
				return fmt.Errorf("look for the stored versions of %s: %w", name, err)
			}
		}
		if gone := without(stored, has); len(gone) > 0 {
			lacking = append(lacking, lackedVersions(name, gone, has, program))
		}
		may[name] = append(slices.Clone(stored), k.written(n))
	}
	if len(lacking) > 0 {
		return errors.Join(lacking...)
	}
	return record.Add(ctx, may)
}

// lackedVersions says what to do about versions that are stored and not there any more.
func lackedVersions(resource string, gone, has []string, program string) error {
	return fmt.Errorf("%s may be stored in %s, which this program does not have any more (it has %s): run the release before this one once more, as "+
		"`%s migrate` with the flags of your servers and a --storage-versions that this program has, then start this one; if nothing is left in %[2]s, "+
		"`%[4]s migrate` of this program finds that out",
		resource, strings.Join(gone, " and "), strings.Join(has, ", "), program)
}

// Record is where the database keeps its versions.
func (d *Database) Record() migration.Record {
	return migration.Record{Store: d.Source(storage.Form{})}
}

// versions are those in which this program can read resource i.
func (k *Kinds) versions(i int) []string {
	var has []string
	for _, kind := range k.Scheme.KindsOfHub(k.Resources[i].GroupKind()) {
		has = append(has, kind.GroupVersionKind().GroupVersion().String())
	}
	return has
}

// written is the version in which resource i is put into the database.
func (k *Kinds) written(i int) string {
	if held := k.Options[i].Written.Version(); !held.Empty() {
		return held.String()
	}
	return k.Resources[i].StorageVersion(k.Options[i]).String()
}

// scan reads in which versions the objects of resource i are stored.
func (k *Kinds) scan(ctx context.Context, i int, db *Database) ([]string, error) {
	r := k.Resources[i]
	source := db.Source(k.Decrypted(r, db.Root))
	return migration.Found(ctx, source, r.KeyPrefix(), func(e storage.Entry) string { return versionOf(e.Value) })
}

// Decrypted is the form of values as they are, except for encryption.
func (k *Kinds) Decrypted(r registry.Resource, root string) storage.Form {
	if k.Encryption == nil {
		return storage.Form{}
	}
	return k.Encryption.Form(encryption.Target{Resource: encryptionName(r), Root: root})
}

// versionOf is the version that a stored object says it is of, "" for what is none.
func versionOf(stored []byte) string {
	if wire.HasEnvelope(stored) {
		envelope, err := wire.ParseEnvelope(stored)
		if err != nil {
			return ""
		}
		return string(envelope.APIVersion)
	}
	var said struct {
		APIVersion string `json:"apiVersion"`
	}
	if json.Unmarshal(stored, &said) != nil {
		return ""
	}
	return said.APIVersion
}

// without returns what of a is not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
