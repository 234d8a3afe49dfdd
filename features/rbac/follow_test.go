package rbac

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// watches gives one stream after the other.
type watches chan *events

func (w watches) Watch(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.Stream, error) {
	if namespace != "" || opts.SendInitialEvents == nil || !*opts.SendInitialEvents || !opts.AllowWatchBookmarks {
		return nil, apierrors.NewBadRequest("not the options of a follower")
	}
	select {
	case s := <-w:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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

type view struct{ obj apiruntime.Object }

func (v view) WriteTo(w io.Writer, form rest.Form) error {
	return serializer.Encode(w, v.obj, serializer.MediaType(form.MediaType), false)
}

func event(kind rest.EventType, obj apiruntime.Object) rest.Event {
	name := "ClusterRole"
	if _, ok := obj.(*rbacv1.ClusterRoleBinding); ok {
		name = "ClusterRoleBinding"
	}
	obj.GetObjectKind().SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(name))
	return rest.Event{Type: kind, Object: view{obj}}
}

var end = event(rest.Bookmark, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}})

func TestFollow(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	source := map[int]watches{}
	resource := func(kind int, name string) *rest.Resource {
		source[kind] = make(watches)
		return &rest.Resource{Name: name, Watch: source[kind]}
	}
	a := new(Authorizer)
	done := make(chan struct{})
	sources := Sources{Roles: resource(roles, "roles"), ClusterRoles: resource(clusterRoles, "clusterroles"), RoleBindings: resource(roleBindings, "rolebindings"), ClusterRoleBindings: resource(clusterRoleBindings, "clusterrolebindings")}
	go func() {
		defer close(done)
		a.Follow(ctx, sources, slog.New(slog.DiscardHandler))
	}()
	streams := map[int]*events{}
	open := func(kind int, initial ...rest.Event) {
		t.Helper()
		streams[kind] = &events{make(chan []rest.Event)}
		source[kind] <- streams[kind]
		if len(initial) > 0 {
			streams[kind].batches <- initial
		}
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

	open(roles, end)
	open(roleBindings, end)
	open(clusterRoles, event(rest.Added, role))
	open(clusterRoleBindings, event(rest.Added, binding), end)
	if a.Ready(ctx) == nil || may() {
		t.Error("ready before every role was seen")
	}
	streams[clusterRoles].batches <- []rest.Event{end}
	await("never ready", func() bool { return a.Ready(ctx) == nil })
	if !may() {
		t.Error("what is bound is not allowed")
	}

	// A watch that ends changes nothing until the next one has seen everything.
	close(streams[clusterRoleBindings].batches)
	open(clusterRoleBindings)
	if !may() {
		t.Error("a watch that begins again forgets what was known")
	}
	streams[clusterRoleBindings].batches <- []rest.Event{end}
	await("a binding that has gone meanwhile is still there", func() bool { return !may() })
	streams[clusterRoleBindings].batches <- []rest.Event{event(rest.Added, binding)}
	await("a new binding is not seen", may)
	streams[clusterRoles].batches <- []rest.Event{event(rest.Deleted, role)}
	await("a role that is gone still gives rights", func() bool { return !may() })

	// An event that is an error begins anew, too.
	streams[clusterRoles].batches <- []rest.Event{{Type: rest.Error, Object: view{&metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Code: 410, Reason: metav1.StatusReasonExpired}}}}
	open(clusterRoles, event(rest.Added, role), end)
	await("a role is not seen after an error", may)
	cancel()
	<-done
}
