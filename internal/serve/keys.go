package serve

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/replicas"
	"github.com/typeplane/typeplane/storage"
)

// The keys of a server lie in the directory pki of its data directory. Servers that are given the
// same secret have the same keys: those of the first of them, which lie in their etcd, sealed.

// Names of the files in pki.
const (
	authorityCertFile = "ca.crt"
	authorityKeyFile  = "ca.key"
	tokenKeyFile      = "service-accounts.key"
	encryptionFile    = "encryption.yaml"
)

// takeKeys gives a server that has no keys yet those of the servers which share its etcd. It comes
// before anything else, since nobody can be answered without a certificate.
func (p *plan) takeKeys(ctx context.Context) error {
	o := &p.options.Store
	if o.ClusterSecretFile == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(p.pki(), authorityCertFile)); !errors.Is(err, fs.ErrNotExist) {
		return err // shareKeys compares what is there
	}
	say := func(why string) { p.log.Info("the keys of this server are in etcd: " + why) }
	return untilAvailable(ctx, p.log, say, func() error {
		db, err := database.Open(ctx, p.program, o, say, p.log)
		if err != nil {
			return err
		}
		return errors.Join(p.shareKeys(ctx, db), db.Close())
	})
}

// shareKeys makes the keys of this server those of all that were given the same secret. A server
// that has others does not start.
func (p *plan) shareKeys(ctx context.Context, db *database.Database) error {
	file := p.options.Store.ClusterSecretFile
	if file == "" {
		return nil
	}
	secret, err := replicas.ReadSecret(file)
	if err != nil {
		return fmt.Errorf("--cluster-secret-file: %w", err)
	}
	shared, err := replicas.Share(ctx, db.Source(storage.Form{}), secret, p.makeKeys)
	if err != nil {
		return fmt.Errorf("--cluster-secret-file=%s: %w", file, err)
	}
	own, err := readKeys(p.pki())
	if err != nil {
		return err
	}
	if name := own.Differs(shared); name != "" {
		return fmt.Errorf("%s is not the one of the servers that share this etcd: remove %s to take over their keys (kubeconfig files and tokens of this server stop working then)",
			filepath.Join(p.pki(), name), p.pki())
	}
	return writeKeys(p.pki(), shared)
}

func (p *plan) pki() string { return filepath.Join(p.options.Store.DataDir, "pki") }

// readKeys are the keys in a directory, as far as there are any.
func readKeys(dir string) (replicas.Identity, error) {
	keys := replicas.Identity{}
	for _, name := range []string{authorityCertFile, authorityKeyFile, tokenKeyFile, encryptionFile} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		keys[name] = content
	}
	return keys, nil
}

// writeKeys writes those that are not there yet. The certificate is the last: its presence says
// that its key is there.
func writeKeys(dir string, keys replicas.Identity) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	names := slices.Sorted(maps.Keys(keys))
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case a == authorityCertFile:
			return 1
		case b == authorityCertFile:
			return -1
		}
		return 0
	})
	for _, name := range names {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			err = writeFile(file, keys[name])
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// makeKeys are the keys of this server, made as far as there are none. It writes nothing.
func (p *plan) makeKeys() (replicas.Identity, error) {
	keys, err := readKeys(p.pki())
	if err != nil {
		return nil, err
	}
	ca, err := openAuthority(p.pki())
	if err != nil {
		return nil, err
	}
	if keys[authorityKeyFile], err = encodeKey(ca.key); err != nil {
		return nil, err
	}
	if keys[authorityCertFile] == nil {
		keys[authorityCertFile] = ca.certPEM
	}
	if keys[tokenKeyFile] == nil {
		key, err := newKey()
		if err != nil {
			return nil, err
		}
		if keys[tokenKeyFile], err = encodeKey(key); err != nil {
			return nil, err
		}
	}
	if keys[encryptionFile] == nil && p.keepsSecrets() {
		keys[encryptionFile] = newEncryption(time.Now())
	}
	return keys, nil
}

// keepsSecrets says whether Secrets are encrypted with a key of this server's own, if it has one.
func (p *plan) keepsSecrets() bool {
	return p.serves("secrets") && p.options.Store.EncryptionConfig == "" && !p.options.Store.InMemory
}

// keepSecrets makes the key with which Secrets are encrypted in an embedded etcd, which nobody else
// has. In a database that others may write to it is shared, or there is none.
func (p *plan) keepSecrets(ctx context.Context, dbs *database.Databases) error {
	db := dbs.Of(schema.GroupResource{Resource: "secrets"})
	embedded := db == dbs.Main && len(p.options.Store.EtcdServers) == 0 && p.program.Storage == nil
	if !p.keepsSecrets() || !embedded {
		return nil
	}
	file := database.OwnEncryption(p.options.Store.DataDir)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	sealed, err := p.known.HasEncrypted(ctx, db, "secrets")
	if err != nil {
		return err
	}
	if sealed {
		p.log.Warn("Secrets are encrypted with a key that this server does not have, and can't be read: put "+file+" back from a copy, or give their --encryption-provider-config", "new", "a key for others is made")
	}
	if err := os.MkdirAll(p.pki(), 0o700); err != nil {
		return err
	}
	return writeFile(file, newEncryption(time.Now()))
}

// newEncryption is a configuration by which Secrets are encrypted with a new key. Those that lie
// there in the open can be read.
func newEncryption(now time.Time) []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return fmt.Appendf(nil, `# Secrets are encrypted with this key: without it they can't be read. Keep a copy of this
# directory, and not beside the backups of the database.
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - secretbox:
      keys:
      - name: made-%s
        secret: %s
  - identity: {} # reads what was stored before
`, now.UTC().Format(time.DateOnly), base64.StdEncoding.EncodeToString(key))
}
