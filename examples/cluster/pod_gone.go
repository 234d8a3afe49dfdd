package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry/rest"
)

// dropConsoles has consoles go with their pods, whoever deletes these, also through another server.
func dropConsoles() typeplane.API {
	return typeplane.API{Extend: func(_ context.Context, h *typeplane.Host) error {
		pods := *h.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "")
		h.Go(func(ctx context.Context) {
			for ctx.Err() == nil {
				if err := watchDeletions(ctx, pods.Watch); err != nil && ctx.Err() == nil {
					h.Log.Warn("deletions of pods were not seen for a moment: their consoles stay until others need the room", "error", err)
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
				}
			}
		})
		return nil
	}}
}

// watchDeletions drops consoles until the watch ends. It looks at what was deleted alone, and there
// at the metadata: nearly all that happens to pods costs nothing here.
func watchDeletions(ctx context.Context, pods rest.Watcher) error {
	fromNow := false
	stream, err := pods.Watch(ctx, "", metav1.ListOptions{SendInitialEvents: &fromNow})
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, event := range events {
			if event.Type != rest.Deleted {
				continue
			}
			var b bytes.Buffer
			if err := event.Object.WriteTo(&b, rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}); err != nil {
				return err
			}
			var gone metav1.PartialObjectMetadata
			if err := json.Unmarshal(b.Bytes(), &gone); err != nil {
				return err
			}
			consoles.Drop(gone.UID)
		}
	}
}
