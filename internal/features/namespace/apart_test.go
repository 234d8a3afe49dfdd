package namespace_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/storage/embedded"
)

// apart has ConfigMaps in an etcd of their own.
func apart(t *testing.T) (apitest.Option, *embedded.Server) {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcd") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	etcd, err := embedded.Start(context.Background(), embedded.Config{Dir: dir, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	return func(o *typeplane.Options) { o.Store.EtcdOverrides = []string{"/configmaps#unix://" + etcd.Socket()} }, etcd
}

// A namespace takes with it what is in another etcd, also what is made at this moment: when it is
// gone nothing is left.
func TestNamespaceOfTwoEtcds(t *testing.T) {
	override, etcd := apart(t)
	c := servertest.Start(t, override, func(o *typeplane.Options) { o.Admission.Disable = []string{"ResourceQuota"} })
	for round := range 5 {
		room := fmt.Sprintf("%s/room%d", servertest.Namespaces, round)
		c.Want(201, "", "POST", servertest.Namespaces, fmt.Sprintf(`{"metadata":{"name":"room%d"}}`, round))
		c.Want(201, "", "POST", room+"/configmaps", `{"metadata":{"name":"first"}}`)
		voucher := func() string {
			got, err := etcd.Client().Get(t.Context(), fmt.Sprintf("/registry/.vouchers/namespaces/room%d", round))
			if err != nil || got.Count != 1 {
				t.Fatalf("%v vouchers, %v", got, err)
			}
			return string(got.Kvs[0].Value)
		}
		before := voucher()
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for n, code := 0, http.StatusCreated; code == http.StatusCreated; n++ {
					body := strings.NewReader(fmt.Sprintf(`{"metadata":{"name":"c%d-%d"}}`, w, n))
					resp, err := c.Client.Post(c.URL+room+"/configmaps", "application/json", body)
					if err != nil {
						t.Error(err)
						return
					}
					resp.Body.Close()
					code = resp.StatusCode
				}
			})
		}
		c.Want(200, "", "DELETE", room, "")
		c.Until(404, "", room)
		writers.Wait()
		if voucher() == before {
			t.Error("a create that began before the namespace was deleted could still be carried out")
		}
		got, err := etcd.Client().Get(t.Context(), fmt.Sprintf("/registry/configmaps/room%d/", round), clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil || got.Count != 0 {
			t.Errorf("%v ConfigMaps outlive their namespace, %v", got, err)
		}
	}
}

// Quotas are written with what they count: an etcd of its own for that is refused at the start.
func TestQuotaOfTwoEtcds(t *testing.T) {
	override, _ := apart(t)
	dir := func(o *typeplane.Options) { o.Store.DataDir = t.TempDir() }
	if s, err := apitest.New(typeplane.Server{Name: "plane", APIs: features.All()}, dir, override); err == nil {
		t.Error("it starts", s.URL)
	} else if !strings.Contains(err.Error(), "ResourceQuota writes with configmaps") || !strings.Contains(err.Error(), "--disable-admission-plugins=ResourceQuota") {
		t.Error(err)
	}
}
