package clients

import (
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// TestInformers follows pods while they change, with and without streaming lists, in both forms:
// the caches end as the store is, and handlers have seen each object come and go.
func TestInformers(t *testing.T) {
	s := start(t, "cluster")
	for _, streaming := range []bool{true, false} {
		for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
			t.Run(fmt.Sprintf("streaming=%v/%s", streaming, contentType), func(t *testing.T) {
				featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
				follow(t, s, streaming, contentType)
			})
		}
	}
}

func follow(t *testing.T, s *server, streaming bool, contentType string) {
	ctx := t.Context()
	var streamed, listed atomic.Int32
	clients, err := kubernetes.NewForConfig(s.with(func(c *rest.Config) {
		c.ContentType = contentType
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				switch query := req.URL.Query(); {
				case query.Get("sendInitialEvents") == "true":
					streamed.Add(1)
				case req.Method == http.MethodGet && query.Get("watch") == "":
					listed.Add(1)
				}
				return next.RoundTrip(req)
			})
		})
	}))
	must(t, err)
	pods := clients.CoreV1().Pods("default")
	const n = 30
	for i := range n {
		_, err := pods.Create(ctx, pod(fmt.Sprintf("p%02d", i)), metav1.CreateOptions{})
		must(t, err)
	}

	factory := informers.NewSharedInformerFactory(clients, 0)
	informer := factory.Core().V1().Pods().Informer()
	selected := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.LabelSelector = "round=odd"
	}))
	odd := selected.Core().V1().Pods().Informer()
	var initial, added, deleted atomic.Int32
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(_ any, first bool) {
			added.Add(1)
			if first {
				initial.Add(1)
			}
		},
		DeleteFunc: func(any) { deleted.Add(1) },
	})
	must(t, err)
	for _, f := range []informers.SharedInformerFactory{factory, selected} {
		f.Start(ctx.Done())
	}
	eventually(t, "both have synced", func() bool { return informer.HasSynced() && odd.HasSynced() })
	if streaming != (streamed.Load() == 2) || streaming == (listed.Load() == 2) {
		t.Errorf("%d streams and %d lists, and streaming is %v", streamed.Load(), listed.Load(), streaming)
	}

	for i := range n {
		name := fmt.Sprintf("p%02d", i)
		if i%3 == 0 {
			must(t, pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
			continue
		}
		round := []string{"even", "odd"}[i%2]
		_, err := pods.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"round":%q}}}`, round), metav1.PatchOptions{})
		must(t, err)
	}
	_, err = pods.Create(ctx, pod("late"), metav1.CreateOptions{})
	must(t, err)

	all, err := pods.List(ctx, metav1.ListOptions{})
	must(t, err)
	want, wantOdd := map[string]string{}, map[string]string{}
	for _, p := range all.Items {
		want[p.Name] = p.ResourceVersion
		if p.Labels["round"] == "odd" {
			wantOdd[p.Name] = p.ResourceVersion
		}
	}
	eventually(t, "the informers know what the store has", func() bool {
		return maps.Equal(podsOf(informer), want) && maps.Equal(podsOf(odd), wantOdd)
	})
	eventually(t, "the handlers have heard of everything", func() bool { return added.Load() == n+1 && deleted.Load() == n/3 })
	if initial.Load() != n {
		t.Errorf("%d pods were there in the beginning, want %d", initial.Load(), n)
	}
	must(t, pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{}))
	eventually(t, "the informers are empty", func() bool { return len(podsOf(informer)) == 0 && len(podsOf(odd)) == 0 })
}

// podsOf maps the names of the pods in an informer's store to their revisions.
func podsOf(informer cache.SharedIndexInformer) map[string]string {
	all := map[string]string{}
	for _, obj := range informer.GetStore().List() {
		p := obj.(*corev1.Pod)
		all[p.Name] = p.ResourceVersion
	}
	return all
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
