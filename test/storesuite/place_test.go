package storesuite

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/apitesting"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	suites "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

const (
	root   = "/registry"
	prefix = "/pods/"
	mark   = "test!" // what the transformer puts before each value
	window = 1 << 30 // of the cache's log, in seconds of its clock
)

var jsonCodec, protoCodec = func() (runtime.Codec, runtime.Codec) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	codecs := serializer.NewCodecFactory(scheme)
	pb := protobuf.NewSerializer(scheme, scheme)
	return apitesting.TestCodec(codecs, examplev1.SchemeGroupVersion),
		codecs.CodecForVersions(pb, pb, examplev1.SchemeGroupVersion, nil)
}()

// place is where one function of a suite runs: an etcd of its own, at revision 1, a store on it,
// and the hooks that suites ask for. It is what the suites see as the store.
type place struct {
	*Store
	client      *etcd3.Client
	reads       *suites.KVRecorder
	lists       *suites.KubernetesRecorder
	original    *suites.PrefixTransformer
	transformer atomic.Pointer[value.Transformer]
	seen        bool
	cache       *cacher.Cacher // nil over etcd3
	source      *source
	clock       atomic.Int64 // the cache's, in seconds: the revision that it reads, until a compaction
}

// settings are what functions want differently.
type settings struct {
	codec      runtime.Codec
	progress   time.Duration // how often etcd says on its own how far it is; 0 is a second
	unreadable int
	// seen makes a Create return when the cache has seen it, as the peer's own wrapper for tests of
	// its cache does.
	seen bool
}

func newPlace(t *testing.T, cached bool, set settings) *place {
	if set.progress == 0 {
		set.progress = time.Second
	}
	if set.codec == nil {
		set.codec = protoCodec
	}
	server, err := etcd3test.Open(embedded.Config{Dir: t.TempDir(), ProgressInterval: set.progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	p := &place{seen: set.seen, client: server.Client(), original: suites.NewPrefixTransformer([]byte(mark), false)}
	p.lists = suites.NewKubernetesRecorder(nothing{})
	p.reads = suites.NewKVRecorder(p.client.KV, nil)
	p.client.KV = recorder{p.reads, p.lists}
	p.set(p.original)
	store := etcd3.New(p.client, etcd3.Config{Root: root, Form: form(set.codec, func() value.Transformer { return *p.transformer.Load() })})
	p.Store = &Store{Backend: store, Progress: store.RequestProgress, Codec: set.codec, Prefix: prefix,
		New: func() runtime.Object { return new(example.Pod) }, Where: p.where, Unreadable: set.unreadable,
		Compacted: func() int64 {
			revision, err := etcd3.Compacted(t.Context(), p.client)
			if err != nil {
				t.Errorf("compacted revision: %v", err)
			}
			return revision
		}}
	if cached {
		p.source = &source{Store: store, clock: &p.clock}
		p.cache, err = cacher.New(cacher.Config{Source: p.source, Prefix: prefix, BookmarkEvery: 500 * time.Millisecond,
			Window: window * time.Second, Now: func() time.Time { return time.Unix(p.clock.Load(), 0) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.cache.Close)
		p.Backend = p.cache
		p.awaitWatch(0)
	}
	return p
}

// form is how objects lie in the database: what the transformer makes of the codec's bytes.
func form(codec runtime.Codec, transformer func() value.Transformer) storage.Form {
	return storage.Form{
		Canonical: func(key string, stored []byte) ([]byte, bool, error) {
			data, stale, err := transformer().TransformFromStorage(context.Background(), stored, value.DefaultContext(key))
			if err != nil {
				return nil, false, err
			}
			obj, err := runtime.Decode(codec, data)
			if err != nil {
				return nil, false, err
			}
			canonical, err := runtime.Encode(codec, obj)
			return canonical, stale || !bytes.Equal(canonical, data), err
		},
		Stored: func(key string, canonical []byte) ([]byte, error) {
			return transformer().TransformToStorage(context.Background(), canonical, value.DefaultContext(key))
		},
	}
}

// source is the store behind the cache. It counts the watches: the cache opens one when it has read
// everything. And it sets the cache's clock to the revision of each event, so that the cache can be
// made to forget those up to a revision.
type source struct {
	*etcd3.Store
	clock   *atomic.Int64
	watches atomic.Int64
}

func (s *source) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	s.watches.Add(1)
	w, err := s.Store.Watch(ctx, prefix, opts)
	return &clocked{Watcher: w, clock: s.clock}, err
}

// clocked returns events one by one.
type clocked struct {
	storage.Watcher
	clock *atomic.Int64
	rest  []storage.Event
}

func (c *clocked) Next(ctx context.Context) (events []storage.Event, err error) {
	if len(c.rest) == 0 {
		if c.rest, err = c.Watcher.Next(ctx); err != nil {
			return nil, err
		}
	}
	events, c.rest = c.rest[:1], c.rest[1:]
	c.clock.Store(max(c.clock.Load(), events[0].Entry.Revision))
	return events, nil
}

func (p *place) awaitWatch(before int64) {
	for p.source.watches.Load() <= before {
		time.Sleep(time.Millisecond)
	}
}

// set puts another transformer in place of the one that is there, and lets the cache know, as a
// server does when its encryption configuration has changed.
func (p *place) set(transformer value.Transformer) {
	if p.cache == nil {
		p.transformer.Store(&transformer)
		return
	}
	p.follow()
	p.transformer.Store(&transformer)
	before := p.source.watches.Load()
	p.cache.Reread()
	p.awaitWatch(before)
}

// Create is that of the adapter.
func (p *place) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	err := p.Store.Create(ctx, key, obj, out, ttl)
	if err == nil && p.seen {
		p.follow()
	}
	return err
}

// UpdatePrefixTransformer implements suites.InterfaceWithPrefixTransformer.
func (p *place) UpdatePrefixTransformer(modify suites.PrefixTransformerModifier) func() {
	transformer := *p.original
	p.set(modify(&transformer))
	return func() { p.set(p.original) }
}

// UpdateTransformer implements suites.InterfaceWithTransformerOverride.
func (p *place) UpdateTransformer(modify suites.TransformerModifier) func() {
	p.set(modify(p.original))
	return func() { p.set(p.original) }
}

// setFailing makes all that is stored unreadable, or readable again.
func (p *place) setFailing(failing bool) {
	if failing {
		p.set(broken{p.original})
	} else {
		p.set(p.original)
	}
}

type broken struct{ value.Transformer }

func (broken) TransformFromStorage(context.Context, []byte, value.Context) ([]byte, bool, error) {
	return nil, false, errors.New("broken on purpose")
}
