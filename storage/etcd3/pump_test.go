package etcd3

import (
	"context"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

// hostileWatcher sends an event without a key.
type hostileWatcher struct{ clientv3.Watcher }

func (hostileWatcher) Watch(context.Context, string, ...clientv3.OpOption) clientv3.WatchChan {
	responses := make(chan clientv3.WatchResponse, 1)
	responses <- clientv3.WatchResponse{Events: []*clientv3.Event{{}}}
	return responses
}

// TestPumpThatPanics: the watch ends with an error.
func TestPumpThatPanics(t *testing.T) {
	s := New(&Client{Watcher: hostileWatcher{}}, Config{Root: "/registry"})
	w, err := s.Watch(t.Context(), "/pods/", storage.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = w.Next(t.Context())
	if storage.CodeOf(err) != storage.CodeUnavailable || !strings.Contains(err.Error(), "the server panicked") {
		t.Errorf("%v", err)
	}
}
