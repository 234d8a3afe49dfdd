package rbac

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Sources are the four resources, in rbac.authorization.k8s.io/v1.
type Sources struct {
	Roles, ClusterRoles, RoleBindings, ClusterRoleBindings *rest.Resource
}

// Follow keeps the Authorizer up to date until ctx ends: it watches each of the resources, all
// namespaces of them. It must run once.
func (a *Authorizer) Follow(ctx context.Context, s Sources, log *slog.Logger) {
	done := make(chan struct{})
	for _, run := range []func(){
		func() { followKind[rbacv1.Role](ctx, s.Roles, log, func(l []*rbacv1.Role) { a.set(roles, l) }) },
		func() {
			followKind[rbacv1.ClusterRole](ctx, s.ClusterRoles, log, func(l []*rbacv1.ClusterRole) { a.set(clusterRoles, l) })
		},
		func() {
			followKind[rbacv1.RoleBinding](ctx, s.RoleBindings, log, func(l []*rbacv1.RoleBinding) { a.set(roleBindings, l) })
		},
		func() {
			followKind[rbacv1.ClusterRoleBinding](ctx, s.ClusterRoleBindings, log, func(l []*rbacv1.ClusterRoleBinding) { a.set(clusterRoleBindings, l) })
		},
	} {
		go func() {
			run()
			done <- struct{}{}
		}()
	}
	for range kinds {
		<-done
	}
}

// message is an object that can be read from its protobuf form.
type message[T any] interface {
	*T
	metav1.Object
	Unmarshal([]byte) error
}

// The pauses after a watch that has failed.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// followKind watches a resource until ctx ends and publishes its objects, sorted, after each batch
// of changes.
func followKind[T any, P message[T]](ctx context.Context, r *rest.Resource, log *slog.Logger, publish func([]P)) {
	pause := firstPause
	for {
		filled, err := followOnce[T, P](ctx, r.Watch, publish)
		if ctx.Err() != nil {
			return
		}
		if filled {
			pause = firstPause
		}
		log.Warn("a watch of roles or bindings has ended; it begins again", "resource", r.Name, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// followOnce is followKind for one watch. filled says that it came as far as to have seen all
// objects.
func followOnce[T any, P message[T]](ctx context.Context, w rest.Watcher, publish func([]P)) (filled bool, err error) {
	initial := true
	stream, err := w.Watch(ctx, "", metav1.ListOptions{Watch: true, AllowWatchBookmarks: true, SendInitialEvents: &initial, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	if err != nil {
		return false, err
	}
	defer stream.Close()
	objects := map[key]P{}
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return filled, err
		}
		changed := false
		for _, event := range events {
			obj, err := read[T, P](event)
			if err != nil {
				return filled, err
			}
			switch at := (key{obj.GetNamespace(), obj.GetName()}); event.Type {
			case rest.Added, rest.Modified:
				objects[at], changed = obj, true
			case rest.Deleted:
				delete(objects, at)
				changed = true
			case rest.Bookmark:
				if !filled && obj.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
					filled, changed = true, true
				}
			}
		}
		if filled && changed {
			publish(sorted(objects))
		}
	}
}

// read decodes what an event is about. Its error is that of an event which is one.
func read[T any, P message[T]](event rest.Event) (P, error) {
	if event.Type == rest.Error {
		return nil, eventError(event)
	}
	return decode[T, P](event.Object)
}

// decode makes an object of a view.
func decode[T any, P message[T]](view rest.View) (P, error) {
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
		return nil, err
	}
	envelope, err := wire.ParseEnvelope(b.Bytes())
	if err != nil {
		return nil, err
	}
	obj := P(new(T))
	return obj, obj.Unmarshal(envelope.Raw)
}

func eventError(event rest.Event) error {
	var b bytes.Buffer
	if err := event.Object.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
		return err
	}
	envelope, err := wire.ParseEnvelope(b.Bytes())
	if err != nil {
		return err
	}
	var status metav1.Status
	if err := status.Unmarshal(envelope.Raw); err != nil {
		return err
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// sorted returns the objects by name, so that the reason of a decision does not depend on luck.
func sorted[P any](objects map[key]P) []P {
	keys := slices.SortedFunc(maps.Keys(objects), func(a, b key) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
	list := make([]P, len(keys))
	for i, k := range keys {
		list[i] = objects[k]
	}
	return list
}

// Copy returns resources of its own, with the same verbs.
func (s Sources) Copy() Sources {
	for _, r := range []**rest.Resource{&s.Roles, &s.ClusterRoles, &s.RoleBindings, &s.ClusterRoleBindings} {
		own := **r
		*r = &own
	}
	return s
}
