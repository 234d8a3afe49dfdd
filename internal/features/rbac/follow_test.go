package rbac

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// source gives one list after the other, and behind each a stream.
type source struct {
	lists   chan []any
	streams chan *events
}

func (s source) List(ctx context.Context, namespace string, _ metav1.ListOptions) (rest.View, error) {
	if namespace != "" {
		return nil, apierrors.NewBadRequest("not the namespace of a follower")
	}
	select {
	case items := <-s.lists:
		return view{map[string]any{"metadata": metav1.ListMeta{ResourceVersion: "7"}, "items": items}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s source) Watch(_ context.Context, _ string, opts metav1.ListOptions) (rest.Stream, error) {
	if opts.ResourceVersion != "7" {
		return nil, apierrors.NewBadRequest("not behind the list")
	}
	return <-s.streams, nil
}

// events is a stream of batches, which ends when they are closed.
type events struct{ batches chan []rest.Event }

func (e *events) Next(ctx context.Context) ([]rest.Event, error) {
	select {
	case batch, ok := <-e.batches:
		if ok {
			return batch, nil
		}
	case <-ctx.Done():
	}
	return nil, io.EOF
}

func (e *events) Close() {}

type view struct{ of any }

func (v view) WriteTo(w io.Writer, _ rest.Representation) error {
	return json.NewEncoder(w).Encode(v.of)
}

func event(kind rest.EventType, obj any) rest.Event {
	return rest.Event{Type: kind, Object: view{obj}}
}

func TestFollow(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	from := map[int]source{}
	resource := func(kind int, name string) *rest.Resource {
		from[kind] = source{make(chan []any), make(chan *events, 1)}
		return &rest.Resource{Name: name, List: from[kind], Watch: from[kind]}
	}
	a := new(Authorizer)
	done := make(chan struct{})
	sources := Sources{Roles: resource(roles, "roles"), ClusterRoles: resource(clusterRoles, "clusterroles"), RoleBindings: resource(roleBindings, "rolebindings"), ClusterRoleBindings: resource(clusterRoleBindings, "clusterrolebindings")}
	go func() {
		defer close(done)
		a.Follow(ctx, sources, slog.New(slog.DiscardHandler))
	}()
	streams := map[int]*events{}
	open := func(kind int, items ...any) {
		t.Helper()
		streams[kind] = &events{make(chan []rest.Event)}
		from[kind].streams <- streams[kind]
		from[kind].lists <- items
	}
	role := &rbacv1.ClusterRole{ObjectMeta: meta("", "reader"), Rules: rules("get core pods")}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta("", "jane"), Subjects: to("User", "", "jane"), RoleRef: ref("ClusterRole", "reader")}
	may := func() bool {
		decision, _, err := a.Authorize(ctx, attributes("jane", "get core pods ns"))
		return decision == auth.Allow && err == nil
	}
	await := func(what string, so func() bool) {
		t.Helper()
		for limit := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatal(what)
			}
		}
	}

	open(roles)
	open(roleBindings)
	open(clusterRoleBindings, binding)
	if a.Ready(ctx) == nil || may() {
		t.Error("ready before every role was seen")
	}
	open(clusterRoles, role)
	await("never ready", func() bool { return a.Ready(ctx) == nil })
	if !may() {
		t.Error("what is bound is not allowed")
	}

	// A watch that ends changes nothing until the next one has seen everything.
	close(streams[clusterRoleBindings].batches)
	if !may() {
		t.Error("a watch that begins again forgets what was known")
	}
	open(clusterRoleBindings)
	await("a binding that has gone meanwhile is still there", func() bool { return !may() })
	streams[clusterRoleBindings].batches <- []rest.Event{event(rest.Added, binding)}
	await("a new binding is not seen", may)
	streams[clusterRoles].batches <- []rest.Event{event(rest.Deleted, role)}
	await("a role that is gone still gives rights", func() bool { return !may() })

	// An event that is an error begins anew, too.
	streams[clusterRoles].batches <- []rest.Event{{Type: rest.Error, Object: view{&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired}}}}
	open(clusterRoles, role)
	await("a role is not seen after an error", may)
	cancel()
	<-done
}
