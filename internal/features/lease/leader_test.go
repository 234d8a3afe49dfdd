package lease

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// oneLease is a store of one lease, with the revision that it has. Who is in cut gets no answer.
type oneLease struct {
	mu       sync.Mutex
	lease    *coordinationv1.Lease
	revision int
	cut      atomic.Value
}

type asJSON []byte

func (v asJSON) WriteTo(w io.Writer, _ rest.Representation) error {
	_, err := w.Write(v)
	return err
}

func (o *oneLease) Get(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lease == nil {
		return nil, apierrors.NewNotFound(leases.GroupResource(), "l")
	}
	o.lease.ResourceVersion = strconv.Itoa(o.revision)
	data, err := json.Marshal(o.lease)
	return asJSON(data), err
}

func (o *oneLease) Create(_ context.Context, req *rest.Request, _ rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lease != nil {
		return nil, apierrors.NewAlreadyExists(leases.GroupResource(), "l")
	}
	o.lease, o.revision = obj.(*coordinationv1.Lease).DeepCopy(), 1
	return nil, nil
}

func (o *oneLease) Update(_ context.Context, req *rest.Request, _ rest.Name, obj rest.Body, _ metav1.UpdateOptions) (rest.View, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lease := obj.(*coordinationv1.Lease)
	if who, _ := o.cut.Load().(string); who != "" && who == holder(&lease.Spec) {
		return nil, false, apierrors.NewServiceUnavailable("cut off")
	}
	if lease.ResourceVersion != strconv.Itoa(o.revision) {
		return nil, false, apierrors.NewConflict(leases.GroupResource(), "l", nil)
	}
	o.lease, o.revision = lease.DeepCopy(), o.revision+1
	return nil, false, nil
}

// Three contend: never two lead at once, the next one leads when the leader is cut off, and at once
// when it steps down.
func TestOneLeads(t *testing.T) {
	store := new(oneLease)
	resource := &rest.Resource{Get: store, Create: store, Update: store}
	var leading atomic.Int32
	leaders := make(chan string)
	stops := map[string]context.CancelFunc{}
	var all sync.WaitGroup
	for _, who := range []string{"a", "b", "c"} {
		ctx, stop := context.WithCancel(t.Context())
		stops[who] = stop
		config := leaderConfig{Leases: resource, Namespace: "kube-system", Name: "l", Identity: who, Duration: 6 * time.Second, RenewEvery: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}
		all.Go(func() {
			elect(ctx, config, func(ctx context.Context) {
				if n := leading.Add(1); n > 1 {
					t.Errorf("%d lead at once", n)
				}
				defer leading.Add(-1)
				select {
				case leaders <- who:
				case <-ctx.Done():
					return
				}
				<-ctx.Done()
			})
		})
	}
	next := func() string {
		t.Helper()
		select {
		case who := <-leaders:
			return who
		case <-time.After(time.Minute):
			t.Fatal("nobody leads")
			return ""
		}
	}
	first := next()
	store.cut.Store(first)
	second := next()
	if second == first {
		t.Errorf("%s leads and can't renew", first)
	}
	store.cut.Store("")
	stops[second]()
	if third := next(); third == second {
		t.Errorf("%s leads and has stopped", second)
	}
	for _, stop := range stops {
		stop()
	}
	all.Wait()
	if who := holder(&store.lease.Spec); who != "" {
		t.Errorf("%s holds the lease, and has stopped", who)
	}
}

// hostileLease panics when it is read for the first times.
type hostileLease struct {
	oneLease
	panics int
}

func (h *hostileLease) Get(ctx context.Context, name rest.Name, o metav1.GetOptions) (rest.View, error) {
	if h.panics--; h.panics >= 0 {
		panic("the lease is hostile")
	}
	return h.oneLease.Get(ctx, name, o)
}

// TestHostileLease: a candidate does not lead while reading the lease panics, and leads after that.
func TestHostileLease(t *testing.T) {
	store := &hostileLease{panics: 3}
	resource := &rest.Resource{Get: store, Create: store, Update: store}
	ctx, stop := context.WithCancel(t.Context())
	config := leaderConfig{Leases: resource, Namespace: "kube-system", Name: "l", Identity: "a", RenewEvery: time.Millisecond, Log: slog.New(slog.DiscardHandler)}
	elect(ctx, config, func(context.Context) {
		if store.panics >= 0 {
			t.Errorf("it leads before %d panics", store.panics)
		}
		stop()
	})
}
