package clients

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var kills = flag.Int("kills", 5, "how often TestRestart kills the server")

// killsPerInformer is how many kills informers live through: their backoff grows with each, to half
// a minute.
const killsPerInformer = 5

// TestRestart kills the server and starts it again while writers write and informers follow.
// Afterwards no informer differs from the store, and no write is missing that a writer was told of.
func TestRestart(t *testing.T) {
	s := start(t, "library")
	client, err := dynamic.NewForConfig(s.config)
	must(t, err)
	served := client.Resource(books).Namespace("default")
	var writers []*writer
	for i := range 4 {
		writers = append(writers, &writer{t: t, name: fmt.Sprintf("w%d", i), books: served, known: map[string]*known{}})
	}
	for done := 0; done < *kills; done += killsPerInformer {
		// Every second set of informers lists and then watches, as clients did before streaming
		// lists.
		streaming := done/killsPerInformer%2 == 0
		t.Run(fmt.Sprintf("kills=%d,streaming=%v", done, streaming), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
			restartUnder(t, s, client, writers, min(killsPerInformer, *kills-done))
		})
	}
	acknowledged := 0
	for _, w := range writers {
		acknowledged += w.acknowledged
	}
	t.Logf("%d writes were acknowledged", acknowledged)
}

func restartUnder(t *testing.T, s *server, client *dynamic.DynamicClient, writers []*writer, kills int) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := client.Resource(books).Namespace("default")
	eager := newFollower(t, served)
	go eager.reflector.RunWithContext(ctx)

	partial, err := metadata.NewForConfig(s.config)
	must(t, err)
	all := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	selected := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "default", func(o *metav1.ListOptions) { o.LabelSelector = "parity=odd" })
	metas := metadatainformer.NewSharedInformerFactory(partial, 0)
	informers := map[string]cache.SharedIndexInformer{
		"all books":       all.ForResource(books).Informer(),
		"odd books":       selected.ForResource(books).Informer(),
		"metadata of all": metas.ForResource(books).Informer(),
	}
	all.Start(ctx.Done())
	selected.Start(ctx.Done())
	metas.Start(ctx.Done())

	writing, halt := context.WithCancel(ctx)
	defer halt()
	var wg sync.WaitGroup
	for _, w := range writers {
		wg.Go(func() { w.run(writing) })
	}
	for range kills {
		// The server dies in the middle of writes, when this informer has heard of some.
		from := eager.count()
		eventually(t, "events arrive", func() bool { return eager.count() > from+10+rand.IntN(40) })
		s.Kill()
		must(t, s.start(ctx))
	}
	from := eager.count()
	eventually(t, "events arrive after the last kill", func() bool { return eager.count() > from+10 })
	halt()
	wg.Wait()

	list, err := served.List(ctx, metav1.ListOptions{})
	must(t, err)
	stored, odd := map[string]string{}, map[string]string{}
	for _, b := range list.Items {
		stored[b.GetName()] = b.GetResourceVersion()
		if b.GetLabels()["parity"] == "odd" {
			odd[b.GetName()] = b.GetResourceVersion()
		}
	}
	for _, w := range writers {
		w.check(list)
	}
	eventually(t, "the eager informer is where the store is", func() bool { return maps.Equal(revisions(eager.store.List()), stored) })
	for name, informer := range informers {
		want := stored
		if name == "odd books" {
			want = odd
		}
		eventually(t, "the informer of "+name+" is where the store is", func() bool {
			return maps.Equal(revisions(informer.GetStore().List()), want)
		})
	}
}

func revisions(objects []any) map[string]string {
	all := map[string]string{}
	for _, obj := range objects {
		if o, ok := obj.(metav1.Object); ok {
			all[o.GetName()] = o.GetResourceVersion()
		}
	}
	return all
}

// follower is an informer that hardly waits before it tries again, so that it follows through every
// kill. It checks that no object goes back in time.
type follower struct {
	reflector *cache.Reflector
	store     cache.Store
	mu        sync.Mutex // guards events
	events    int
}

func newFollower(t *testing.T, served dynamic.ResourceInterface) *follower {
	f := &follower{}
	f.store = cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithTransformer(func(obj any) (any, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events++
		return obj, f.forward(t, obj)
	}))
	source := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return served.List(ctx, o) },
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return served.Watch(ctx, o)
		},
	}, served)
	f.reflector = cache.NewReflectorWithOptions(source, &unstructured.Unstructured{}, f.store, cache.ReflectorOptions{
		Backoff: &wait.Backoff{Duration: 20 * time.Millisecond, Factor: 1, Steps: 1 << 20, Jitter: 1},
	})
	return f
}

// forward: of one object, identified by its uid, an informer sees later and later revisions.
func (f *follower) forward(t *testing.T, obj any) error {
	after := obj.(*unstructured.Unstructured)
	held, exists, err := f.store.Get(after)
	if err != nil || !exists {
		return err
	}
	before := held.(*unstructured.Unstructured)
	if before.GetUID() != after.GetUID() {
		return nil
	}
	if order, err := resourceversion.CompareResourceVersion(after.GetResourceVersion(), before.GetResourceVersion()); err != nil || order < 0 {
		t.Errorf("%s goes from revision %s to %s (%v)", after.GetName(), before.GetResourceVersion(), after.GetResourceVersion(), err)
	}
	return nil
}

func (f *follower) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events
}
