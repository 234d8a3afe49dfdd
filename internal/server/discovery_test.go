package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// library is one group with two versions, the lesser one first.
func library() []rest.Resource {
	alpha := books()
	alpha.GroupVersion = gvAlpha
	alpha.Watch = nil
	return []rest.Resource{alpha, shelves(), books()}
}

// core is a group without a name.
func core() rest.Resource {
	r := shelves()
	r.GroupVersion.Group = ""
	return r
}

// What Kubernetes has for the same group, version and kind: base64 of the first eight bytes of a
// SHA-256.
const (
	bookHash  = `"storageVersionHash":"Iw6rpGyq6cI="`
	shelfHash = `"storageVersionHash":"5bFM+Az1UPI="`
)

func TestLegacyDiscovery(t *testing.T) {
	s := newServer(t, config(t, library()...))
	const versions = `"versions":[{"groupVersion":"library.example.com/v1","version":"v1"},{"groupVersion":"library.example.com/v1alpha1","version":"v1alpha1"}],"preferredVersion":{"groupVersion":"library.example.com/v1","version":"v1"}`
	for path, want := range map[string]string{
		"/apis":                      `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"library.example.com",` + versions + `,"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"example.com"}]}]}`,
		"/apis/library.example.com":  `{"kind":"APIGroup","apiVersion":"v1","name":"library.example.com",` + versions + `}`,
		"/apis/library.example.com/": `{"kind":"APIGroup","apiVersion":"v1","name":"library.example.com",` + versions + `}`,
		"/apis/library.example.com/v1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"library.example.com/v1","resources":[` +
			`{"name":"books","singularName":"book","namespaced":true,"kind":"Book","verbs":["create","delete","get","list","update","watch"],"shortNames":["bk"],"categories":["all"],` + bookHash + `},` +
			`{"name":"shelves","singularName":"shelf","namespaced":false,"kind":"Shelf","verbs":["create"],` + shelfHash + `}]}`,
		"/apis/library.example.com/v1alpha1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"library.example.com/v1alpha1","resources":[` +
			`{"name":"books","singularName":"book","namespaced":true,"kind":"Book","verbs":["create","delete","get","list","update"],"shortNames":["bk"],"categories":["all"],` + bookHash + `}]}`,
	} {
		w := do(s, request{path: path, header: map[string]string{"Accept": "application/json"}})
		if diff := cmp.Diff(want+"\n", w.Body.String()); diff != "" || w.Code != http.StatusOK {
			t.Errorf("%s: %d (-want +got):\n%s", path, w.Code, diff)
		}
	}
}

func TestDiscoveryForms(t *testing.T) {
	s := newServer(t, config(t, library()...))
	w := do(s, request{path: "/apis/library.example.com/v1", header: map[string]string{"Accept": "application/vnd.kubernetes.protobuf"}})
	envelope, err := wire.ParseEnvelope(w.Body.Bytes())
	var list metav1.APIResourceList
	if err != nil || string(envelope.Kind) != "APIResourceList" || list.Unmarshal(envelope.Raw) != nil || len(list.APIResources) != 2 {
		t.Errorf("protobuf: %v %q", err, w.Body)
	}
	w = do(s, request{path: "/apis/library.example.com/v1", header: map[string]string{"Accept": "application/yaml"}})
	if !strings.HasPrefix(w.Body.String(), "apiVersion: v1\ngroupVersion: library.example.com/v1\n") {
		t.Errorf("yaml: %s", w.Body)
	}
	w = do(s, request{path: "/apis/library.example.com/v1", header: map[string]string{"Accept": "text/html"}})
	wantStatus(t, w, http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, notOurs)
}

func TestCoreGroup(t *testing.T) {
	without := newServer(t, config(t, books()))
	wantStatus(t, do(without, request{path: "/api"}), http.StatusNotFound, metav1.StatusReasonNotFound, noResource)

	c := config(t, books())
	c.Scheme = coreScheme(t)
	c.Resources = []rest.Resource{core()}
	s := newServer(t, c)
	if got, want := do(s, request{path: "/api"}).Body.String(), `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"example.com"}]}`+"\n"; got != want {
		t.Errorf("/api\n got: %s\nwant: %s", got, want)
	}
	if got, want := do(s, request{path: "/apis"}).Body.String(), `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`+"\n"; got != want {
		t.Errorf("/apis\n got: %s\nwant: %s", got, want)
	}
	if w := do(s, request{path: "/api/v1"}); !strings.HasPrefix(w.Body.String(), `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"shelves"`) {
		t.Errorf("/api/v1: %s", w.Body)
	}
	if w := do(s, request{method: "POST", path: "/api/v1/shelves", body: `{"metadata":{"name":"s"}}`}); w.Code != http.StatusCreated {
		t.Errorf("create: %d %s", w.Code, w.Body)
	}
	w := do(s, request{path: "/api", header: map[string]string{"Accept": aggregatedV2}})
	if !strings.Contains(w.Body.String(), `"items":[{"metadata":{},"versions":[{"version":"v1"`) {
		t.Errorf("aggregated: %s", w.Body)
	}
}

const (
	aggregatedV2   = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	aggregatedBeta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
)

func TestAggregatedDiscovery(t *testing.T) {
	s := newServer(t, config(t, library()...))
	w := do(s, request{path: "/apis", header: map[string]string{"Accept": aggregatedV2 + "," + aggregatedBeta + ",application/json"}})
	const want = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"library.example.com"},"versions":[` +
		`{"version":"v1","resources":[{"resource":"books","responseKind":{"group":"","version":"","kind":"Book"},"scope":"Namespaced","singularResource":"book","verbs":["create","delete","get","list","update","watch"],"shortNames":["bk"],"categories":["all"]},` +
		`{"resource":"shelves","responseKind":{"group":"","version":"","kind":"Shelf"},"scope":"Cluster","singularResource":"shelf","verbs":["create"]}],"freshness":"Current"},` +
		`{"version":"v1alpha1","resources":[{"resource":"books","responseKind":{"group":"","version":"","kind":"Book"},"scope":"Namespaced","singularResource":"book","verbs":["create","delete","get","list","update"],"shortNames":["bk"],"categories":["all"]}],"freshness":"Current"}]}]}` + "\n"
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	header := w.Header()
	etag := header.Get("ETag")
	if header.Get("Content-Type") != aggregatedV2 || header.Get("Vary") != "Accept" || header.Get("Cache-Control") != "public" || len(etag) != 130 {
		t.Errorf("headers: %v", header)
	}

	for _, tag := range []string{etag, `"other", W/` + etag, "*"} {
		w = do(s, request{path: "/apis", header: map[string]string{"Accept": aggregatedV2, "If-None-Match": tag}})
		if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != etag {
			t.Errorf("If-None-Match %s: %d %q", tag, w.Code, w.Body)
		}
	}
	w = do(s, request{path: "/apis", header: map[string]string{"Accept": aggregatedV2, "If-None-Match": `"other"`}})
	if w.Code != http.StatusOK {
		t.Errorf("a changed document: %d", w.Code)
	}

	// /api must be aggregated when /apis is, also if it is empty.
	w = do(s, request{path: "/api", header: map[string]string{"Accept": aggregatedV2}})
	var empty struct{ Items []any }
	if err := json.Unmarshal(w.Body.Bytes(), &empty); err != nil || w.Code != http.StatusOK || len(empty.Items) != 0 {
		t.Errorf("/api: %d %s", w.Code, w.Body)
	}
}

func TestAggregatedNegotiation(t *testing.T) {
	s := newServer(t, config(t, library()...))
	for accept, want := range map[string]string{
		aggregatedBeta + ",application/json":     aggregatedBeta,
		"application/json," + aggregatedV2:       "application/json",
		"application/json;q=0.1," + aggregatedV2: aggregatedV2,
		"":                                       "application/json",
		"application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json":                   "application/json",
		"application/json;g=other;v=v2;as=APIGroupDiscoveryList,application/json":                                 "application/json",
		"application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," + aggregatedV2: aggregatedV2,
		"application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList":                                    "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
		"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer," + aggregatedV2:     aggregatedV2,
	} {
		w := do(s, request{path: "/apis", header: map[string]string{"Accept": accept}})
		if got := w.Header().Get("Content-Type"); got != want || w.Code != http.StatusOK {
			t.Errorf("Accept %s\n got: %d %s\nwant: %s", accept, w.Code, got, want)
		}
	}
}
