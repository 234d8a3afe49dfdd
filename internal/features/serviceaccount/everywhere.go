package serviceaccount

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/registry/rest"
)

// The pauses after a failure: each twice as long as the one before.
const firstPause, lastPause = 100 * time.Millisecond, 10 * time.Second

// everywhere keeps one object of a name in every namespace. What somebody deletes comes back, but
// where the namespace is on its way out. T is the Go type of the object. Several servers may do the
// same: who comes second finds it done.
type everywhere[T any] struct {
	namespaces, objects rest.Resource
	name                string
	// create returns the object for a namespace that has none.
	create func(namespace string) rest.Body
	// mend returns what is to be written in the place of one that is not as it should be, nil if it
	// is. A nil mend takes every one.
	mend func(*T) rest.Body
	log  *slog.Logger

	mu    sync.Mutex      // guards doubt
	doubt map[string]bool // the namespaces to look at
	wake  chan struct{}   // has room for one
}

// run keeps the objects until ctx ends. It is called once. Two loops say which namespaces to look
// at, and a third one looks.
func (e *everywhere[T]) run(ctx context.Context) {
	e.doubt, e.wake = map[string]bool{}, make(chan struct{}, 1)
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() {
		follow.Run(ctx, &e.namespaces, "", e.log, follow.Handler[corev1.Namespace]{
			Replace: e.lookAtAll,
			Changed: func(ns *corev1.Namespace) { e.lookAt(ns.Name) },
		})
	})
	loops.Go(func() {
		look := func(obj *metav1.PartialObjectMetadata) { e.lookAt(obj.Namespace) }
		follow.Run(ctx, follow.Named(&e.objects, e.name), "", e.log, follow.Handler[metav1.PartialObjectMetadata]{
			Replace: func([]metav1.PartialObjectMetadata) {
				// Deletions may have been missed.
				if all, _, err := follow.List[corev1.Namespace](ctx, &e.namespaces, ""); err == nil {
					e.lookAtAll(all)
				}
			},
			Changed: look,
			Gone:    look,
		})
	})
	loops.Go(func() { e.keepDoubtful(ctx) })
}

func (e *everywhere[T]) lookAtAll(all []corev1.Namespace) {
	for i := range all {
		e.lookAt(all[i].Name)
	}
}

func (e *everywhere[T]) lookAt(namespace string) {
	e.mu.Lock()
	e.doubt[namespace] = true
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default: // it will look anyhow
	}
}

// keepDoubtful looks at the namespaces that somebody named, and again, after a pause, at those
// where that failed: one whose quota is used up keeps no other waiting.
func (e *everywhere[T]) keepDoubtful(ctx context.Context) {
	failed, pause := map[string]bool{}, firstPause
	var again <-chan time.Time // nil: nothing failed
	for {
		var namespaces map[string]bool
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
			namespaces = e.doubtful()
		case <-again:
			namespaces, again = maps.Clone(failed), nil
		}
		for namespace := range namespaces {
			delete(failed, namespace)
			err := recovery.Call(e.log, e.objects.Name, namespace, func() error { return e.keep(ctx, namespace) })
			if err != nil && ctx.Err() == nil {
				e.log.Warn("write what every namespace has; it is tried again", "namespace", namespace, "resource", e.objects.Name, "name", e.name, "error", err)
				failed[namespace] = true
			}
		}
		switch {
		case len(failed) == 0:
			again, pause = nil, firstPause
		case again == nil:
			again, pause = time.After(pause), min(2*pause, lastPause)
		}
	}
}

// doubtful returns the namespaces to look at, and forgets them.
func (e *everywhere[T]) doubtful() map[string]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	namespaces := e.doubt
	e.doubt = map[string]bool{}
	return namespaces
}

// keep makes or mends the object of a namespace, unless that is on its way out. What is in memory
// is believed if all is well: when it is no longer so, there will be an event.
func (e *everywhere[T]) keep(ctx context.Context, namespace string) error {
	name, known := rest.Name{Namespace: namespace, Name: e.name}, new(T)
	if err := read(ctx, &e.objects, name, false, known); err == nil && e.mended(known) == nil {
		return nil
	}
	var ns corev1.Namespace
	if err := read(ctx, &e.namespaces, rest.Name{Name: namespace}, true, &ns); err != nil || ns.DeletionTimestamp != nil {
		return ignoreNotFound(err)
	}
	current := new(T)
	err := read(ctx, &e.objects, name, true, current)
	if apierrors.IsNotFound(err) {
		_, err = e.objects.Create.Create(ctx, new(rest.Request), name, e.create(namespace), metav1.CreateOptions{})
	} else if err == nil {
		if next := e.mended(current); next != nil {
			_, _, err = e.objects.Update.Update(ctx, new(rest.Request), name, next, metav1.UpdateOptions{})
		}
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return ignoreNotFound(err)
}

// mended is what is to be written in the place of an object, nil if nothing is.
func (e *everywhere[T]) mended(obj *T) rest.Body {
	if e.mend == nil {
		return nil
	}
	return e.mend(obj)
}

func read(ctx context.Context, r *rest.Resource, name rest.Name, live bool, into any) error {
	view, err := r.Get.Get(ctx, name, reader.Options(live))
	if err != nil {
		return err
	}
	return rest.Read(view, into)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
