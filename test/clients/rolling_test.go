package clients

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/etcdproc"
	"github.com/typeplane/typeplane/internal/testserver"
)

var rolls = flag.Int("rolls", 2, "how often TestRollingRestart restarts a server")

// TestRollingRestart restarts two servers behind a balancer, one after the other, as an upgrade
// does, while clients read, write and watch. No call fails that client-go would not repeat by
// itself, and no watch begins anew.
func TestRollingRestart(t *testing.T) {
	binary, err := etcdproc.Build(t.Context())
	must(t, err)
	etcd, err := etcdproc.Start(t.Context(), etcdproc.Config{Binary: binary, Dir: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { etcd.Close() })
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("what both servers of this test are given"), 0o600))
	balancer, err := testserver.NewBalancer()
	must(t, err)
	t.Cleanup(func() { balancer.Close() })
	var servers []*server
	for n := range 2 {
		s := start(t, "library", "--etcd-servers", etcd.Endpoints()[0], "--cluster-secret-file", secret, "--shutdown-delay-duration", "200ms")
		balancer.Point(n, s.URL)
		servers = append(servers, s)
	}
	// Each client has connections of its own.
	through := func() dynamic.ResourceInterface {
		config := servers[0].with(func(c *rest.Config) { c.Host, c.Dial = balancer.URL, new(net.Dialer).DialContext })
		client, err := dynamic.NewForConfig(config)
		must(t, err)
		return client.Resource(books).Namespace("default")
	}

	const clients = 8
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	writing, halt := context.WithCancel(ctx)
	defer halt()
	var calls, failed atomic.Int64
	var all sync.WaitGroup
	for n := range clients {
		served, name := through(), fmt.Sprintf("book-%d", n)
		_, err := served.Create(ctx, book(name), metav1.CreateOptions{})
		must(t, err)
		all.Go(func() {
			for i := 0; writing.Err() == nil; i++ {
				var err error
				switch i % 3 {
				case 0:
					_, err = served.Patch(t.Context(), name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"copies":%d}}`, i), metav1.PatchOptions{})
				case 1:
					_, err = served.Get(t.Context(), name, metav1.GetOptions{})
				default:
					_, err = served.List(t.Context(), metav1.ListOptions{})
				}
				calls.Add(1)
				if err != nil {
					failed.Add(1)
					t.Errorf("call %d of client %d: %v", i, n, err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	var lists atomic.Int64
	var followers []cache.Store
	for range clients {
		followers = append(followers, inform(ctx, through(), &lists))
	}
	eventually(t, "all watch", func() bool { return lists.Load() == clients })

	slowest := time.Duration(0)
	for n := range *rolls {
		s := servers[n%2]
		began := time.Now()
		must(t, s.Cmd.Process.Signal(syscall.SIGTERM))
		<-s.Ended()
		slowest = max(slowest, time.Since(began))
		if err := s.Err(); err != nil {
			t.Errorf("it ended with %v:\n%s", err, s.Output())
		}
		must(t, s.start(t.Context()))
		time.Sleep(500 * time.Millisecond)
	}
	halt()
	all.Wait()
	want := map[string]string{}
	list, err := through().List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, b := range list.Items {
		want[b.GetName()] = b.GetResourceVersion()
	}
	for n, store := range followers {
		eventually(t, fmt.Sprintf("informer %d is where the store is", n), func() bool { return maps.Equal(revisions(store.List()), want) })
	}
	again := lists.Load() - clients
	t.Logf("%d restarts, %d calls, %d failed, %d watches began anew, the slowest stop took %v", *rolls, calls.Load(), failed.Load(), again, slowest)
	drill.RollingRestart.Count("restarts", *rolls)
	drill.RollingRestart.Count("calls", int(calls.Load()))
	drill.RollingRestart.Count("failed calls", int(failed.Load()))
	drill.RollingRestart.Count("watches that began anew", int(again))
	drill.RollingRestart.Worst("a stop", slowest)
}

// inform runs an informer that lists before it watches, and counts lists.
func inform(ctx context.Context, served dynamic.ResourceInterface, lists *atomic.Int64) cache.Store {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := served.List(ctx, o)
			if err == nil {
				lists.Add(1)
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			if o.SendInitialEvents != nil && *o.SendInitialEvents {
				lists.Add(1)
			}
			return served.Watch(ctx, o)
		},
	}
	reflector := cache.NewReflectorWithOptions(source, &unstructured.Unstructured{}, store, cache.ReflectorOptions{})
	go reflector.RunWithContext(ctx)
	return store
}
