// Package follow keeps a loop of the server informed of a resource: what there is, and from then on
// every change.
//
// It reads through the verbs that clients have (rest.Lister, rest.Watcher), in this process: no
// requests, no polling. Start reading at Run. It keeps no objects; whoever follows decides what to
// remember.
package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// Handler is told what happens. Its functions are called one after the other, by one goroutine; the
// objects are the handler's. A function that is nil is not called. After a panic in Changed or Gone
// Run continues with the next change; after one in Replace or Settled it begins anew.
type Handler[T any] struct {
	// Replace is told everything that there is: first, and whenever changes may have been missed.
	Replace func([]T)
	// Changed is told what was made or written, Gone the last state of what was removed.
	Changed, Gone func(*T)
	// Settled is called when all changes that are known have been told.
	Settled func()
}

// The waits after a failure: each twice as long as the one before.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
)

// Run follows r in a namespace ("" is all of them) until ctx ends. T is the Go type of the objects
// in the version of r. What goes wrong is logged, and tried again.
func Run[T any](ctx context.Context, r *rest.Resource, namespace string, log *slog.Logger, h Handler[T]) {
	pause := firstPause
	for ctx.Err() == nil {
		err := recovery.Call(log, r.Name, "", func() error { return once(ctx, r, namespace, log, h, func() { pause = firstPause }) })
		if err == nil || ctx.Err() != nil {
			continue
		}
		log.Warn("a loop of the server lost sight of a resource, and looks again", "resource", r.Name, "error", err)
		_ = wait.Sleep(ctx, pause)
		pause = min(2*pause, lastPause)
	}
}

// once passes all objects to the handler, and then every change until the watch ends. It calls
// listed between them.
func once[T any](ctx context.Context, r *rest.Resource, namespace string, log *slog.Logger, h Handler[T], listed func()) error {
	all, revision, err := List[T](ctx, r, namespace)
	if err != nil {
		return err
	}
	if h.Replace != nil {
		h.Replace(all)
	}
	listed()
	return watch(ctx, r, namespace, revision, log, h)
}

// Each calls f for each object of a resource. It continues after an object for which f panics.
func Each[T any](log *slog.Logger, resource string, all []T, f func(*T)) {
	for i := range all {
		_ = recovery.Object(log, resource, nameOf(&all[i]), func() { f(&all[i]) })
	}
}

// nameOf is the namespace and name of an object.
func nameOf(obj any) string {
	of, ok := obj.(metav1.Object)
	if !ok {
		return ""
	}
	return of.GetNamespace() + "/" + of.GetName()
}

// Keep follows r until ctx ends. After each batch of changes it gives set all objects that there
// are, in the order of their names. They are not modified any more.
func Keep[T any, P interface {
	*T
	metav1.Object
}](ctx context.Context, r *rest.Resource, log *slog.Logger, set func([]P)) {
	known := map[string]P{}
	publish := func() {
		all := make([]P, 0, len(known))
		for _, name := range slices.Sorted(maps.Keys(known)) {
			all = append(all, known[name])
		}
		set(all)
	}
	Run(ctx, r, "", log, Handler[T]{
		Replace: func(all []T) {
			clear(known)
			for i := range all {
				known[nameOf(P(&all[i]))] = &all[i]
			}
			publish()
		},
		Changed: func(obj *T) { known[nameOf(P(obj))] = obj },
		Gone:    func(obj *T) { delete(known, nameOf(P(obj))) },
		Settled: publish,
	})
}

// List returns what there is in a namespace, and the resourceVersion of that.
func List[T any](ctx context.Context, r *rest.Resource, namespace string) (items []T, revision string, err error) {
	view, err := r.List.List(ctx, namespace, metav1.ListOptions{})
	if err != nil {
		return nil, "", err
	}
	var list struct {
		Metadata metav1.ListMeta
		Items    []T
	}
	if err := rest.Read(view, &list); err != nil {
		return nil, "", err
	}
	return list.Items, list.Metadata.ResourceVersion, nil
}

// watch follows from a revision on. It returns nil when it has to start anew, as watches end from
// time to time.
func watch[T any](ctx context.Context, r *rest.Resource, namespace, revision string, log *slog.Logger, h Handler[T]) error {
	stream, err := r.Watch.Watch(ctx, namespace, metav1.ListOptions{ResourceVersion: revision})
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := tell(event, r.Name, log, h); err != nil {
				return err
			}
		}
		if h.Settled != nil {
			h.Settled()
		}
	}
}

func tell[T any](event rest.Event, resource string, log *slog.Logger, h Handler[T]) error {
	on := h.Changed
	switch event.Type {
	case rest.Bookmark:
		return nil
	case rest.Error:
		var status metav1.Status
		if err := rest.Read(event.Object, &status); err != nil {
			return err
		}
		return fmt.Errorf("the watch ended: %s", status.Message)
	case rest.Deleted:
		on = h.Gone
	}
	if on == nil {
		return nil
	}
	obj := new(T)
	if err := rest.Read(event.Object, obj); err != nil {
		return err
	}
	_ = recovery.Object(log, resource, nameOf(obj), func() { on(obj) })
	return nil
}
