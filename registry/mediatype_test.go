package registry_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/widget"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// The storage suite over both media types: its values are an annotation of objects, which lie in the database as protobuf
// or as JSON.
func TestMediaTypesInTheStorageSuite(t *testing.T) {
	t.Parallel()
	const progress = 20 * time.Millisecond
	for _, mediaType := range []rest.MediaType{rest.Protobuf, rest.JSON} {
		for _, cached := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s cached=%v", mediaType, cached), func(t *testing.T) {
				t.Parallel()
				around := annotated(t, mediaType)
				storagetest.Run(t, func(t *testing.T) storagetest.Backend {
					db := memory.NewDatabase()
					return storagetest.In(storagetest.Backend{
						Open: func(form storage.Form) storage.Interface {
							store := memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: progress})
							if !cached {
								return store
							}
							c, err := cacher.New(cacher.Config{Source: store, Prefix: "/pods/", BookmarkEvery: progress})
							if err != nil {
								t.Fatal(err)
							}
							t.Cleanup(c.Close)
							if err := c.WaitReady(context.Background()); err != nil {
								t.Fatal(err)
							}
							return c
						},
						Put: func(key string, raw []byte) int64 { return db.Put("/registry"+key, raw) },
						Get: func(key string) ([]byte, int64) {
							stored, revision := db.Get("/registry" + key)
							if isJSON := bytes.HasPrefix(stored, []byte("{")); revision > 0 && isPod(key) && isJSON != (mediaType == rest.JSON) {
								t.Errorf("%s lies there as %.20q", key, stored)
							}
							return stored, revision
						},
						Compact: func(revision int64) {
							if err := db.Compact(revision); err != nil {
								t.Fatal(err)
							}
						},
						Remembers:      cached,
						ProgressWithin: 2 * progress,
					}, isPod, around)
				})
			})
		}
	}
}

func isPod(key string) bool { return strings.HasPrefix(key, "/pods/") }

// annotated returns the form of widgets whose annotation is the value of another form.
func annotated(t *testing.T, mediaType rest.MediaType) func(storage.Form) storage.Form {
	t.Helper()
	form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{StorageMediaType: mediaType})
	if err != nil {
		t.Fatal(err)
	}
	return func(inner storage.Form) storage.Form {
		return storage.Form{
			Canonical: func(key string, stored []byte) ([]byte, bool, error) {
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
				json, err := serializer.Append(nil, w, serializer.JSON, false)
				if err != nil {
					return nil, err
				}
				canonical, _, err := form.Canonical(key, json)
				if err != nil {
					return nil, err
				}
				return form.Stored(key, canonical)
			},
		}
	}
}
