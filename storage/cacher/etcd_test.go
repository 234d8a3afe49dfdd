package cacher_test

import (
	"testing"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/storagetest"
)

func TestStoreOnEtcd(t *testing.T) {
	t.Parallel()
	client := etcd3test.Start(t)
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		b, _ := etcd3test.Backend(t, client, func(s *etcd3.Store) storage.Interface { return start(t, cacher.Config{Source: s}) })
		b.Remembers = true
		return b
	})
}
