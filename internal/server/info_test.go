package server

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestParseInfo(t *testing.T) {
	const v1 = "/apis/library.example.com/v1"
	lib := func(i requestInfo) requestInfo {
		i.IsResource, i.Group, i.Version = true, "library.example.com", "v1"
		return i
	}
	for _, tc := range []struct {
		name   string
		method string
		url    string
		want   requestInfo
	}{
		{"root", "GET", "/", requestInfo{Verb: "get"}},
		{"health", "GET", "/healthz", requestInfo{Verb: "get"}},
		{"a document's verb is its method", "POST", "/version", requestInfo{Verb: "post"}},
		{"group", "GET", "/apis/library.example.com", requestInfo{Verb: "get"}},
		{"group version", "GET", v1, requestInfo{Verb: "get"}},
		{"core version", "GET", "/api/v1", requestInfo{Verb: "get"}},
		{"other prefix", "GET", "/foo/library.example.com/v1/books", requestInfo{Verb: "get"}},

		{"list", "GET", v1 + "/books", lib(requestInfo{Verb: "list", Resource: "books"})},
		{"one slash at the end", "GET", v1 + "/books/", lib(requestInfo{Verb: "list", Resource: "books"})},
		{"list in a namespace", "GET", v1 + "/namespaces/ns/books", lib(requestInfo{Verb: "list", Namespace: "ns", Within: true, Resource: "books"})},
		{"get", "GET", v1 + "/namespaces/ns/books/b", lib(requestInfo{Verb: "get", Namespace: "ns", Within: true, Resource: "books", Name: "b", Item: true})},
		{"head", "HEAD", v1 + "/books/b", lib(requestInfo{Verb: "get", Resource: "books", Name: "b", Item: true})},
		{"create", "POST", v1 + "/books", lib(requestInfo{Verb: "create", Resource: "books"})},
		{"update", "PUT", v1 + "/books/b", lib(requestInfo{Verb: "update", Resource: "books", Name: "b", Item: true})},
		{"patch", "PATCH", v1 + "/books/b", lib(requestInfo{Verb: "patch", Resource: "books", Name: "b", Item: true})},
		{"delete", "DELETE", v1 + "/books/b", lib(requestInfo{Verb: "delete", Resource: "books", Name: "b", Item: true})},
		{"delete collection", "DELETE", v1 + "/books", lib(requestInfo{Verb: "deletecollection", Resource: "books"})},
		{"other method", "OPTIONS", v1 + "/books", lib(requestInfo{Verb: "", Resource: "books"})},
		{"subresource", "GET", v1 + "/namespaces/ns/books/b/status", lib(requestInfo{Verb: "get", Namespace: "ns", Within: true, Resource: "books", Name: "b", Item: true, Subresource: "status", Rest: []string{}})},
		{"below a subresource", "GET", v1 + "/books/b/proxy/x/y", lib(requestInfo{Verb: "get", Resource: "books", Name: "b", Item: true, Subresource: "proxy", Rest: []string{"x", "y"}})},

		{"namespaces", "GET", "/api/v1/namespaces", requestInfo{IsResource: true, Version: "v1", Verb: "list", Resource: "namespaces"}},
		{"a namespace is in itself", "GET", "/api/v1/namespaces/ns", requestInfo{IsResource: true, Version: "v1", Verb: "get", Namespace: "ns", Resource: "namespaces", Name: "ns", Item: true}},
		{"status of a namespace", "GET", "/api/v1/namespaces/ns/status", requestInfo{IsResource: true, Version: "v1", Verb: "get", Namespace: "ns", Resource: "namespaces", Name: "ns", Item: true, Subresource: "status", Rest: []string{}}},
		{"finalize of a namespace", "PUT", "/api/v1/namespaces/ns/finalize", requestInfo{IsResource: true, Version: "v1", Verb: "update", Namespace: "ns", Resource: "namespaces", Name: "ns", Item: true, Subresource: "finalize", Rest: []string{}}},

		{"watch path", "GET", v1 + "/watch/namespaces/ns/books/b?fieldSelector=x", lib(requestInfo{Verb: "watch", WatchPath: true, Namespace: "ns", Within: true, Resource: "books", Name: "b", Item: true})},
		{"watch path of a namespace", "GET", "/api/v1/watch/namespaces/ns", requestInfo{IsResource: true, Version: "v1", Verb: "watch", WatchPath: true, Namespace: "ns", Resource: "namespaces", Name: "ns", Item: true}},
		{"no watch path", "GET", v1 + "/watch", lib(requestInfo{Verb: "list", Resource: "watch"})},
		{"all namespaces", "GET", v1 + "/namespaces//books", lib(requestInfo{Verb: "list", Within: true, AllNamespaces: true, Resource: "books"})},

		{"watch", "GET", v1 + "/books?watch=true", lib(requestInfo{Verb: "watch", Resource: "books"})},
		{"watch without a value", "GET", v1 + "/books?watch", lib(requestInfo{Verb: "watch", Resource: "books"})},
		{"watch=1", "GET", v1 + "/books?watch=1", lib(requestInfo{Verb: "watch", Resource: "books"})},
		{"watch=nonsense", "GET", v1 + "/books?watch=nonsense&limit=x", lib(requestInfo{Verb: "watch", Resource: "books"})},
		{"watch=False", "GET", v1 + "/books?watch=False", lib(requestInfo{Verb: "list", Resource: "books"})},
		{"watch=0", "GET", v1 + "/books?watch=0", lib(requestInfo{Verb: "list", Resource: "books"})},
		{"nobody watches without a body", "HEAD", v1 + "/books?watch=1", lib(requestInfo{Verb: "list", Resource: "books"})},
		{"watch of one is a get", "GET", v1 + "/books/b?watch=1", lib(requestInfo{Verb: "get", Resource: "books", Name: "b", Item: true})},

		{"field selector names the object", "GET", v1 + "/books?fieldSelector=metadata.name%3Db&labelSelector=x", lib(requestInfo{Verb: "list", Resource: "books", Name: "b", FieldSelector: "metadata.name=b", LabelSelector: "x"})},
		{"so it does for a watch", "GET", v1 + "/books?watch=1&fieldSelector=metadata.name%3Db", lib(requestInfo{Verb: "watch", Resource: "books", Name: "b", FieldSelector: "metadata.name=b"})},
		{"inequality names nothing", "GET", v1 + "/books?fieldSelector=metadata.name!%3Db", lib(requestInfo{Verb: "list", Resource: "books", FieldSelector: "metadata.name!=b"})},
		{"a name that is no segment names nothing", "GET", v1 + "/books?fieldSelector=metadata.name%3Da%2Fb", lib(requestInfo{Verb: "list", Resource: "books", FieldSelector: "metadata.name=a/b"})},
		{"another field names nothing", "GET", v1 + "/books?fieldSelector=spec.x%3Db", lib(requestInfo{Verb: "list", Resource: "books", FieldSelector: "spec.x=b"})},

		{"empty segment", "GET", v1 + "//books", requestInfo{Verb: "get"}},
		{"two slashes first", "GET", "/" + v1 + "/books", requestInfo{Verb: "get"}},
		{"two slashes last", "GET", v1 + "/books//", requestInfo{Verb: "get"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, err := url.ParseRequestURI(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Path = u.Path
			got, err := parseInfo(tc.method, u, u.Query())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", tc.method, tc.url, diff)
			}
		})
	}
}

func TestParseInfoRefuses(t *testing.T) {
	for url, want := range map[string]string{
		"/apis/g/v1/books/%00":                  "the path contains a control character",
		"/apis/g/v1/books/a%0ab":                "the path contains a control character",
		"/apis/g/v1/books/%ff%fe":               "the path is not UTF-8 once its %-escapes are decoded",
		"/apis/g/v1/namespaces/a%2fb/books":     "the path contains an encoded slash (%2f), which no name may have",
		"/apis/g/v1/namespaces/a%2Fb/books":     "the path contains an encoded slash (%2f), which no name may have",
		"/apis/g/v1/books/%2e%2e":               `the path contains ".."; send the path that is meant`,
		"/apis/g/v1/books/../../v1/books":       `the path contains ".."; send the path that is meant`,
		"/apis/g/v1/namespaces/%2e/books":       `the path contains "."; send the path that is meant`,
		"/apis/g/v1/books/100%25":               `Name parameter invalid: "100%": may not contain '%'`,
		"/apis/g/v1/namespaces/a%25b/books":     `Namespace parameter invalid: "a%b": may not contain '%'`,
		"/apis/g/v1/namespaces/ns/books/a%252f": `Name parameter invalid: "a%2f": may not contain '%'`,
	} {
		t.Run(url, func(t *testing.T) {
			_, err := parseInfo("GET", mustParse(t, url), nil)
			if !apierrors.IsBadRequest(err) || err.Error() != want {
				t.Errorf("got %v, want a 400: %s", err, want)
			}
		})
	}
}

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.ParseRequestURI(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// No path may panic, and a name never leaves its segment.
func FuzzParseInfo(f *testing.F) {
	f.Add("GET", "/apis/g/v1/namespaces/ns/books/b/status/x?watch=1")
	f.Add("DELETE", "/api/v1/namespaces/%2e%2e/x")
	f.Add("GET", "//")
	f.Fuzz(func(t *testing.T, method, text string) {
		u, err := url.ParseRequestURI(text)
		if err != nil {
			t.Skip()
		}
		info, err := parseInfo(method, u, u.Query())
		if err != nil {
			return
		}
		for _, part := range []string{info.Name, info.Namespace} {
			if pathSegmentProblem(part) != "" {
				t.Errorf("%q gives the name %q", text, part)
			}
		}
		if info.IsResource && info.Resource == "" {
			t.Errorf("%q is a resource without a name", text)
		}
	})
}
