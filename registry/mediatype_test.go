package registry_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/internal/kmstest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/encryption"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// The storage suite runs over what servers put together, for both media types. Its values are an
// annotation of objects, which lie in etcd as protobuf or as JSON, encrypted or not. They are
// served from etcd or from a cache.
func TestMediaTypesInTheStorageSuite(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	defer all.Wait()
	for _, mediaType := range []rest.MediaType{rest.Protobuf, rest.JSON} {
		for _, s := range []stack{
			{name: "etcd3"},
			{name: "cacher", cached: true},
			{name: "cacher over encryption", cached: true, encrypted: true},
		} {
			// All at once, also on one core: they mostly wait. And each on an etcd of its own,
			// which the suite compacts.
			all.Go(func() {
				t.Run(fmt.Sprintf("%s/%s", mediaType, s.name), func(t *testing.T) { storagetest.Run(t, s.factory(t, mediaType)) })
			})
		}
	}
}

// stack is what stands on etcd.
type stack struct {
	name              string
	cached, encrypted bool
}

// factory returns one on an etcd that runs until t ends.
func (s stack) factory(t *testing.T, mediaType rest.MediaType) storagetest.Factory {
	t.Helper()
	client, around, mark := etcd3test.Start(t), annotated(t, mediaType), magic[mediaType]
	var secrets *encryption.Encryption
	if s.encrypted {
		secrets, mark = openEncryption(t), "k8s:enc:kms:v2:plug:"
	}
	return func(t *testing.T) storagetest.Backend {
		over := func(store *etcd3.Store) storage.Interface { return store }
		if s.cached {
			over = func(store *etcd3.Store) storage.Interface { return cacheOf(t, store) }
		}
		b, root := etcd3test.Backend(t, client, over)
		b.Remembers = s.cached
		get := b.Get
		b.Get = func(key string) ([]byte, int64) {
			stored, revision := get(key)
			if revision > 0 && isPod(key) && !bytes.HasPrefix(stored, []byte(mark)) {
				t.Errorf("%s lies there as %.20q, want it to begin with %q", key, stored, mark)
			}
			return stored, revision
		}
		return storagetest.In(b, isPod, func(inner storage.Form) storage.Form {
			form := around(inner)
			if secrets != nil {
				form = secrets.Form(encryption.Target{Resource: pods, Root: root, Form: form})
			}
			return form
		})
	}
}

// magic is what values of a media type begin with.
var magic = map[rest.MediaType]string{rest.Protobuf: "k8s\x00", rest.JSON: "{"}

var pods = encryption.Resource{Name: "pods"}

func isPod(key string) bool { return strings.HasPrefix(key, "/pods/") }

// openEncryption opens a configuration that has a KMS plug-in encrypt pods.
func openEncryption(t *testing.T) *encryption.Encryption {
	t.Helper()
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	config := fmt.Sprintf(`{apiVersion: apiserver.config.k8s.io/v1, kind: EncryptionConfiguration, resources: [{resources: [pods],
	  providers: [{kms: {apiVersion: v2, name: plug, endpoint: '%s', timeout: 1m}}]}]}`, kmstest.Start(t).Endpoint())
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := encryption.Open(encryption.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	e.Start(nil)
	return e
}

// cacheOf returns a cache in front of s, which has read everything.
func cacheOf(t *testing.T, s *etcd3.Store) storage.Interface {
	t.Helper()
	c, err := cacher.New(cacher.Config{Source: s, Prefix: "/pods/", BookmarkEvery: etcd3test.Progress})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// annotated returns the form of widgets whose annotation is the value of another form. It reads no
// other media type.
func annotated(t *testing.T, mediaType rest.MediaType) func(storage.Form) storage.Form {
	t.Helper()
	form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{StorageMediaType: mediaType})
	if err != nil {
		t.Fatal(err)
	}
	return func(inner storage.Form) storage.Form {
		return storage.Form{
			Canonical: func(key string, stored []byte) ([]byte, bool, error) {
				if !bytes.HasPrefix(stored, []byte(magic[mediaType])) {
					return nil, false, fmt.Errorf("%.20q is not %s", stored, mediaType)
				}
				canonical, stale, err := form.Canonical(key, stored)
				if err != nil {
					return nil, false, err
				}
				envelope, err := wire.ParseEnvelope(canonical)
				if err != nil {
					return nil, false, err
				}
				var w widget.V1
				if err := w.Unmarshal(envelope.Raw); err != nil {
					return nil, false, err
				}
				e := inner.ReadEntry(key, []byte(w.Annotations["value"]), 1)
				if e.Err != nil {
					return nil, false, e.Err
				}
				return e.Value, stale || e.Stale, nil
			},
			Stored: func(key string, value []byte) ([]byte, error) {
				value, err := inner.WriteValue(key, value)
				if err != nil {
					return nil, err
				}
				w := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w", Annotations: map[string]string{"value": string(value)}}}
				w.SetGroupVersionKind(widget.GV1.WithKind("Widget"))
				encoded, err := serializer.Append(nil, w, serializer.Protobuf, false)
				if err != nil {
					return nil, err
				}
				canonical, _, err := form.Canonical(key, encoded)
				if err != nil {
					return nil, err
				}
				return form.Stored(key, canonical)
			},
		}
	}
}
