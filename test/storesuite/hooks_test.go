package storesuite

import (
	"context"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	suites "k8s.io/apiserver/pkg/storage/testing"

	"github.com/typeplane/typeplane/storage"
)

// compact is suites.Compaction: one write, as in Kubernetes, where compactions are noted in etcd,
// and then the compaction. The cache forgets what is compacted.
func (p *place) compact(ctx context.Context, t *testing.T, resourceVersion string) {
	revision, err := versioner.ParseResourceVersion(resourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	p.follow()
	p.clock.Store(int64(revision) + 1 + window)
	p.increase(ctx, t)
	if _, err := p.client.Compact(ctx, int64(revision)); err != nil {
		t.Fatal(err)
	}
	p.follow()
}

// follow returns when the cache is where etcd is.
func (p *place) follow() {
	if _, err := p.Backend.List(context.Background(), prefix, storage.ListOptions{Limit: 1}); err != nil {
		panic(err)
	}
}

// increase is suites.IncreaseRVFunc.
func (p *place) increase(ctx context.Context, t *testing.T) int64 {
	resp, err := p.client.Put(ctx, "increase", "revision")
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header.Revision
}

// checkStored is suites.KeyValidation: what lies in etcd has no resourceVersion.
func (p *place) checkStored(ctx context.Context, t *testing.T, key string) {
	resp, err := p.client.Get(ctx, root+key)
	if err != nil || len(resp.Kvs) != 1 {
		t.Fatalf("get %s: %v, %v", key, resp, err)
	}
	stored, ok := strings.CutPrefix(string(resp.Kvs[0].Value), mark)
	obj, err := runtime.Decode(p.Codec, []byte(stored))
	if !ok || err != nil {
		t.Fatalf("stored at %s: %q: %v", key, resp.Kvs[0].Value, err)
	}
	if pod := obj.(*example.Pod); pod.ResourceVersion != "" || pod.GetSelfLink() != "" {
		t.Errorf("stored at %s with resourceVersion %q and selfLink %q", key, pod.ResourceVersion, pod.GetSelfLink())
	}
}

// checkCalls is suites.CallsValidation: pages of a list with a selector grow, so that there are
// few. Our store makes entries of all that it fetches, also of what is behind the last object that
// the list wants: at most as many again.
func (p *place) checkCalls(t *testing.T, pageSize, processed uint64) {
	t.Helper()
	if reads := p.original.GetReadsAndReset(); reads < processed || reads >= 2*processed+pageSize {
		t.Errorf("%d values were read to process %d", reads, processed)
	}
	calls := uint64(1)
	for page, sum := pageSize, uint64(1); page != 0 && sum < processed; sum += page {
		page *= 2
		calls++
	}
	if reads := p.reads.GetReadsAndReset(); reads != calls {
		t.Errorf("etcd was asked %d times, want %d", reads, calls)
	}
}

// recorder tells the suites' recorders what etcd is asked.
type recorder struct {
	*suites.KVRecorder
	lists *suites.KubernetesRecorder
}

func (r recorder) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if op := clientv3.OpGet(key, opts...); len(op.RangeBytes()) > 0 {
		if _, err := r.lists.List(ctx, key, kubernetes.ListOptions{Revision: op.Rev(), Limit: op.Limit()}); err != nil {
			return nil, err
		}
	}
	return r.KVRecorder.Get(ctx, key, opts...)
}

// nothing is behind the recorder of lists.
type nothing struct{ kubernetes.Interface }

func (nothing) List(context.Context, string, kubernetes.ListOptions) (kubernetes.ListResponse, error) {
	return kubernetes.ListResponse{}, nil
}
