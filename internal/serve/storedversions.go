package serve

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

// checkVersions refuses a database in which there may be a version that this program does not have,
// and notes in it those that this server will write.
func (i *Instance) checkVersions(ctx context.Context) error {
	record := i.db.record()
	noted, _, err := record.Read(ctx)
	if err != nil {
		return err
	}
	may := migration.Versions{}
	var lacking []error
	for n, r := range i.known.resources {
		name, has := r.GroupResource().String(), i.known.versions(n)
		stored, known := noted[name]
		if !known {
			// It is the first start on this database, or the first of a program with this resource.
			if stored, err = i.known.scan(ctx, n, i.db); err != nil {
				return fmt.Errorf("look for the stored versions of %s: %w", name, err)
			}
		}
		if gone := without(stored, has); len(gone) > 0 {
			lacking = append(lacking, i.lacking(name, gone, has))
		}
		may[name] = append(slices.Clone(stored), r.StorageVersion(i.known.options[n]).String())
	}
	if len(lacking) > 0 {
		return errors.Join(lacking...)
	}
	return record.Add(ctx, may)
}

// lacking says what to do about versions that are stored and not there any more.
func (i *Instance) lacking(resource string, gone, has []string) error {
	return fmt.Errorf("%s may be stored in %s, which this program does not have any more (it has %s): run the release before this one once more, as "+
		"`%s migrate` with the flags of your servers and a --storage-versions that this program has, then start this one; if nothing is left in %[2]s, "+
		"`%[4]s migrate` of this program finds that out",
		resource, strings.Join(gone, " and "), strings.Join(has, ", "), i.program.Name)
}

// record is where the database keeps its versions.
func (d *database) record() migration.Record {
	return migration.Record{Store: d.source(storage.Form{})}
}

// versions are those in which this program can read resource i.
func (k *kinds) versions(i int) []string {
	var has []string
	for _, kind := range k.scheme.KindsOfHub(k.resources[i].GroupKind()) {
		has = append(has, kind.GroupVersionKind().GroupVersion().String())
	}
	return has
}

// scan reads in which versions the objects of resource i are stored.
func (k *kinds) scan(ctx context.Context, i int, db *database) ([]string, error) {
	r := k.resources[i]
	source := db.source(k.decrypted(r, db.root))
	return migration.Found(ctx, source, r.KeyPrefix(), func(e storage.Entry) string { return versionOf(e.Value) })
}

// decrypted is the form of values as they are, but for encryption.
func (k *kinds) decrypted(r registry.Resource, root string) storage.Form {
	if k.encryption == nil {
		return storage.Form{}
	}
	return k.encryption.Form(encryption.Target{Resource: encryptionName(r), Root: root})
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
