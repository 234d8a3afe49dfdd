package namespace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
)

// The waits after a failure, and how long deletions that come together are waited for.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = time.Minute
	settle     = 50 * time.Millisecond
)

// remove empties one namespace and takes the finalizer off, however long that takes, until ctx
// ends.
func (c *controller) remove(ctx context.Context, ns *corev1.Namespace, contents []rest.Resource) {
	pause := firstPause
	for ctx.Err() == nil {
		left, err := []remaining(nil), c.close(ctx, ns)
		if err == nil {
			left, err = c.empty(ctx, ns.Name, contents)
		}
		if err == nil && len(left) == 0 {
			if err = c.finish(ctx, ns); err == nil {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		if told := c.tell(ctx, ns, left, err); told != nil {
			err = errors.Join(err, told)
		}
		if err != nil {
			c.log.Warn("empty a namespace that is deleted", "namespace", ns.Name, "error", err)
			_ = wait.Sleep(ctx, pause)
			pause = min(2*pause, lastPause)
			continue
		}
		pause = firstPause
		c.awaitChange(ctx, ns.Name, left)
	}
}

// close has nothing be created any more in a namespace that is deleted. Where all is in one etcd,
// the transactions of creates see to that.
func (c *controller) close(ctx context.Context, ns *corev1.Namespace) error {
	revision, err := storage.ParseRevision(ns.ResourceVersion)
	if err != nil || c.fence == nil {
		return err
	}
	return c.fence(ctx, keyPrefix()+ns.Name, revision)
}

// remaining is what is left of one resource in a namespace.
type remaining struct {
	resource   rest.Resource
	revision   string // as of which
	count      int
	finalizers map[string]int
	late       int // those that are not being deleted: they came after it
}

// empty deletes the objects in a namespace, and returns those that could not be removed yet. After
// a resource that fails or panics it continues with the next one, and the error is in the
// conditions of the namespace.
func (c *controller) empty(ctx context.Context, namespace string, contents []rest.Resource) (left []remaining, err error) {
	var errs []error
	for _, r := range contents {
		var here remaining
		err := recovery.Call(c.log, "namespaces", namespace, func() (err error) {
			here, err = emptyOf(ctx, namespace, r)
			return err
		})
		if err != nil {
			errs = append(errs, err)
		} else if here.count > 0 {
			left = append(left, here)
		}
	}
	return left, errors.Join(errs...)
}

// emptyOf deletes the objects of a resource, and returns those that could not be removed yet.
func emptyOf(ctx context.Context, namespace string, r rest.Resource) (remaining, error) {
	here, err := look(ctx, namespace, r, 1)
	if err != nil || here.count == 0 {
		return here, err
	}
	background := metav1.DeletePropagationBackground
	_, err = r.DeleteCollection.DeleteCollection(ctx, new(rest.Request), namespace, metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
	if err != nil {
		return here, err
	}
	return look(ctx, namespace, r, 0)
}

// look counts what there is of a resource; limit bounds how far, 0 does not.
func look(ctx context.Context, namespace string, r rest.Resource, limit int64) (remaining, error) {
	view, err := r.List.List(ctx, namespace, metav1.ListOptions{Limit: limit})
	if err != nil {
		return remaining{}, err
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}); err != nil {
		return remaining{}, err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(b.Bytes(), &list); err != nil {
		return remaining{}, err
	}
	here := remaining{resource: r, revision: list.ResourceVersion, count: len(list.Items), finalizers: map[string]int{}}
	for _, item := range list.Items {
		if item.DeletionTimestamp == nil {
			here.late++
		}
		for _, f := range item.Finalizers {
			here.finalizers[f]++
		}
	}
	return here, nil
}

// finish takes the finalizer off; without another one, the namespace is gone then.
func (c *controller) finish(ctx context.Context, ns *corev1.Namespace) error {
	return c.write(ctx, ns, c.finalize, func(current *corev1.Namespace) bool {
		n := len(current.Spec.Finalizers)
		current.Spec.Finalizers = slices.DeleteFunc(current.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
		return len(current.Spec.Finalizers) < n
	})
}

// write changes the namespace as it is now, again if somebody else comes first. change says if
// there is anything to write. A namespace that is gone, or another one by now, is left alone.
func (c *controller) write(ctx context.Context, ns *corev1.Namespace, through rest.Updater, change func(*corev1.Namespace) bool) error {
	name := rest.Name{Name: ns.Name}
	for {
		view, err := c.namespaces.Get.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		current := new(corev1.Namespace)
		if err == nil {
			err = rest.Read(view, current)
		}
		if err != nil {
			return err
		}
		if current.UID != ns.UID || !change(current) {
			return nil
		}
		if _, _, err = through.Update(ctx, new(rest.Request), name, current, metav1.UpdateOptions{FieldManager: fieldManager}); !apierrors.IsConflict(err) {
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		}
	}
}

// fieldManager is who wrote the conditions.
const fieldManager = "namespace-controller"

// awaitChange waits until something of what is left has gone, or may have. What can go at once is
// not waited for.
func (c *controller) awaitChange(ctx context.Context, namespace string, left []remaining) {
	if slices.ContainsFunc(left, func(l remaining) bool { return l.late > 0 }) {
		_ = wait.Sleep(ctx, settle)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan struct{}, len(left))
	for _, l := range left {
		go func() {
			defer func() { changed <- struct{}{} }()
			_ = recovery.Object(c.log, "namespaces", namespace, func() { awaitDeletion(ctx, namespace, l) })
		}()
	}
	<-changed
	_ = wait.Sleep(ctx, settle) // the next one is often close behind
	cancel()
	for range len(left) - 1 {
		<-changed
	}
}

// awaitDeletion returns when an object is deleted, when nobody can say whether one was, or when ctx
// ends.
func awaitDeletion(ctx context.Context, namespace string, l remaining) {
	stream, err := l.resource.Watch.Watch(ctx, namespace, metav1.ListOptions{ResourceVersion: l.revision})
	if err != nil {
		_ = wait.Sleep(ctx, firstPause)
		return
	}
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			_ = wait.Sleep(ctx, firstPause)
			return
		}
		for _, event := range events {
			if event.Type == rest.Deleted || event.Type == rest.Error {
				return
			}
		}
	}
}
