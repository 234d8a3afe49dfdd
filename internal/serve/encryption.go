package serve

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/encryption"
)

// openEncryption reads the configuration that the options name; nil if they name none. Whoever only
// reads need not start it; a server does.
func openEncryption(o *StoreOptions, stored []registry.Resource, log *slog.Logger) (*encryption.Encryption, error) {
	if o.EncryptionConfig == "" {
		return nil, nil
	}
	names := []encryption.Resource{}
	for _, r := range stored {
		names = append(names, encryptionName(r))
	}
	e, err := encryption.Open(encryption.Options{File: o.EncryptionConfig, Reload: o.EncryptionReload, Resources: names, Log: log})
	if err != nil {
		return nil, fmt.Errorf("--encryption-provider-config: %w", err)
	}
	return e, nil
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

// reread makes every cache read its entries again, because a key has come or gone.
func (d *database) reread() {
	for _, c := range d.caches {
		c.Reread()
	}
}

// kmsHealth fails while a KMS plug-in does not work; soon nothing can be written.
func (d *database) kmsHealth(ctx context.Context) error {
	if d.encryption == nil {
		return nil
	}
	return d.encryption.PluginHealth(ctx)
}

// encryptionHealth fails while the file of the configuration is not what is in effect.
func (d *database) encryptionHealth(ctx context.Context) error {
	if d.encryption == nil {
		return nil
	}
	return d.encryption.FileHealth(ctx)
}
