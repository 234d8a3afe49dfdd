package programtest

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/storage/embedded"
)

// Etcd is a data directory in which an etcd runs, with some keys.
type Etcd struct {
	Dir string
	*embedded.Server
}

// StartEtcd runs an etcd until the test ends.
func StartEtcd(t *testing.T, keys map[string]string) *Etcd {
	t.Helper()
	e := &Etcd{Dir: t.TempDir()}
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: e.Dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	e.Server = s
	for key, value := range keys {
		e.Put(t, key, value)
	}
	return e
}

// Put writes a value behind the back of every server.
func (e *Etcd) Put(t *testing.T, key, value string) {
	t.Helper()
	if _, err := e.Client().Put(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

// EncryptionConfig is a file by which widgets are encrypted with the first of the named keys.
func EncryptionConfig(t *testing.T, names ...string) (file string) {
	t.Helper()
	var keys strings.Builder
	for _, name := range names {
		secret := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name[:1], 32)))
		fmt.Fprintf(&keys, "\n      - {name: %s, secret: %s}", name, secret)
	}
	file = filepath.Join(t.TempDir(), "encryption.yaml")
	text := `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [widgets.shop.example.com]
  providers:
  - aesgcm:
      keys:` + keys.String() + "\n  - identity: {}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
