package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/encryption"
)

// OwnEncryption is the file, in the data directory, with the configuration that a server makes for
// itself: Secrets are encrypted.
func OwnEncryption(dataDir string) string { return filepath.Join(dataDir, "pki", "encryption.yaml") }

// OpenEncryption reads the configuration that the options name, over the configuration that the
// server has made for itself, if there is one. What it returns closes it again.
func (k *Kinds) OpenEncryption(o *program.StoreOptions, log *slog.Logger) (lock func(), err error) {
	options, err := k.encryptionOptions(o)
	if err != nil || options.File == "" {
		return func() {}, err
	}
	options.Log, k.onlyOwn = log, options.Usual
	if k.Encryption, err = encryption.Open(options); err == nil {
		return k.Encryption.Close, nil
	}
	if o.EncryptionConfig == "" {
		return func() {}, fmt.Errorf("the server's own encryption of Secrets: %w; put the file back from a copy: without it Secrets can't be read", err)
	}
	return func() {}, fmt.Errorf("--encryption-provider-config: %w", err)
}

// encryptionOptions names the configurations; none if there is no File.
func (k *Kinds) encryptionOptions(o *program.StoreOptions) (encryption.Options, error) {
	options := encryption.Options{File: o.EncryptionConfig, Reload: o.EncryptionReload}
	own := OwnEncryption(o.DataDir)
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) || o.InMemory {
		own = ""
	} else if err != nil {
		return options, err
	}
	if options.File == "" {
		options.File, options.Usual = own, true // it may encrypt what is not served at the moment
		return options, nil
	}
	options.Base, options.Resources = own, []encryption.Resource{}
	for _, r := range k.Resources {
		options.Resources = append(options.Resources, encryptionName(r))
	}
	return options, nil
}

// StartEncryption follows the keys. changed is called when one has come or gone; it may be nil.
func (k *Kinds) StartEncryption(changed func()) {
	if k.Encryption != nil {
		k.Encryption.Start(changed)
	}
}

// Encrypts says whether the values of a resource are encrypted.
func (k *Kinds) Encrypts(r registry.Resource) bool {
	return k.Encryption != nil && k.Encryption.Seals(encryptionName(r))
}

// Locked says whether encrypted values of a resource can't be read for lack of a configuration.
func (k *Kinds) Locked(r registry.Resource) bool {
	return k.Encryption == nil || k.onlyOwn && !k.Encrypts(r)
}

// HasEncrypted says whether a value of a core resource lies in the database encrypted.
func (k *Kinds) HasEncrypted(ctx context.Context, db *Database, plural string) (bool, error) {
	for _, r := range k.Resources {
		if (r.GroupResource() != schema.GroupResource{Resource: plural}) {
			continue
		}
		page, err := db.Source(storage.Form{}).List(ctx, r.KeyPrefix(), storage.ListOptions{})
		return slices.ContainsFunc(page.Entries, func(e *storage.Entry) bool { return encryption.Encrypted(e.Value) }), err
	}
	return false, nil
}

// encryptionName is what a resource is called in the configuration: the hub's group counts,
// whatever the groups of its versions are.
func encryptionName(r registry.Resource) encryption.Resource {
	name := r.GroupResource()
	return encryption.Resource{Group: name.Group, Name: name.Resource}
}

// encryptedForm wraps the form of a resource's values by what the configuration says; e is nil
// without one.
func encryptedForm(e *encryption.Encryption, root string, r registry.Resource, form storage.Form) storage.Form {
	if e == nil {
		return encryption.Plain(form)
	}
	return e.Form(encryption.Target{
		Resource: encryptionName(r),
		Root:     root,
		Form:     form,
		Owns:     owns(r.KeyPrefix()),
	})
}

// owns makes a check that the object of a canonical value lies where its name and namespace say.
func owns(prefix string) func(key string, value []byte) error {
	return func(key string, value []byte) error {
		meta, err := wire.ReadMeta(value)
		if err != nil {
			return err
		}
		name := meta.Name
		if meta.Namespace != "" {
			name = meta.Namespace + "/" + name
		}
		if rest, ok := strings.CutPrefix(key, prefix); !ok || rest != name {
			return fmt.Errorf("the object is %s: its value was moved here from another key", name)
		}
		return nil
	}
}

// Reread makes every cache read its entries again, because a key has come or gone.
func (d *Database) Reread() {
	for _, c := range d.ownCaches() {
		c.Reread()
	}
}

// KmsHealth fails while a KMS plug-in does not work; soon nothing can be written.
func (k *Kinds) KmsHealth(ctx context.Context) error {
	if k.Encryption == nil {
		return nil
	}
	return k.Encryption.PluginHealth(ctx)
}

// EncryptionHealth fails while the file of the configuration is not what is in effect.
func (k *Kinds) EncryptionHealth(ctx context.Context) error {
	if k.Encryption == nil {
		return nil
	}
	return k.Encryption.FileHealth(ctx)
}
