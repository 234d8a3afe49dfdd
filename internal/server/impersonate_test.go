package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// TestImpersonation: who the verbs see, and what somebody must be allowed for that.
func TestImpersonation(t *testing.T) {
	var asked []string
	var seen *auth.User
	r := shelves()
	r.Create = createFunc(func(ctx context.Context, _ *rest.Request, _ rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
		seen = auth.UserFrom(ctx)
		return objectView{obj}, nil
	})
	c := config(t, r)
	c.Authorizer = authorizerFunc(func(a auth.Attributes) (bool, string, error) {
		if a.Verb == "impersonate" {
			asked = append(asked, strings.Trim(fmt.Sprintf("%s/%s/%s %s %s by %s", a.Group, a.Resource, a.Subresource, a.Namespace, a.Name, a.User.Name), " "))
		}
		return a.Name != "forbidden", "", nil
	})
	s := newServer(t, c)
	shelf := `{"apiVersion":"library.example.com/v1","kind":"Shelf","metadata":{"name":"s"}}`
	for name, tc := range map[string]struct {
		header map[string][]string
		want   *auth.User
		asked  []string
		code   int
	}{
		"a user": {
			header: map[string][]string{"Impersonate-User": {"jane"}},
			want:   &auth.User{Name: "jane", Groups: []string{"system:authenticated"}},
			asked:  []string{"/users/  jane by u"},
		},
		"all of a user": {
			header: map[string][]string{"Impersonate-User": {"jane"}, "Impersonate-Group": {"dev", "ops"}, "Impersonate-Uid": {"7"}, "Impersonate-Extra-Example.com%2fscopes": {"a", "b"}},
			want:   &auth.User{Name: "jane", UID: "7", Groups: []string{"dev", "ops", "system:authenticated"}, Extra: map[string][]string{"example.com/scopes": {"a", "b"}}},
			asked:  []string{"/groups/  dev by u", "/groups/  ops by u", "/users/  jane by u", "authentication.k8s.io/uids/  7 by u", "authentication.k8s.io/userextras/example.com/scopes  a by u", "authentication.k8s.io/userextras/example.com/scopes  b by u"},
		},
		"a service account": {
			header: map[string][]string{"Impersonate-User": {"system:serviceaccount:ns:robot"}},
			want:   &auth.User{Name: "system:serviceaccount:ns:robot", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"}},
			asked:  []string{"/serviceaccounts/ ns robot by u"},
		},
		"nobody": {
			header: map[string][]string{"Impersonate-User": {"system:anonymous"}},
			want:   &auth.User{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}},
			asked:  []string{"/users/  system:anonymous by u"},
		},
		"one group is too much": {
			header: map[string][]string{"Impersonate-User": {"jane"}, "Impersonate-Group": {"forbidden"}},
			code:   http.StatusForbidden,
			asked:  []string{"/groups/  forbidden by u", "/users/  jane by u"},
		},
		"a group of nobody":  {header: map[string][]string{"Impersonate-Group": {"dev"}}, code: http.StatusBadRequest},
		"an extra of nobody": {header: map[string][]string{"Impersonate-Extra-A": {"b"}}, code: http.StatusBadRequest},
	} {
		asked, seen = nil, nil
		req := request{method: "POST", path: "/apis/library.example.com/v1/shelves", body: shelf, header: map[string]string{"Test-User": "u", "Content-Type": "application/json"}}.build()
		for key, values := range tc.header {
			req.Header[http.CanonicalHeaderKey(key)] = values
		}
		w := answerTo(s, req)
		if tc.code == 0 {
			tc.code = http.StatusCreated
		}
		slices.Sort(asked)
		if diff := cmp.Diff(tc.want, seen); diff != "" || w.Code != tc.code {
			t.Errorf("%s: %d %s\n%s", name, w.Code, w.Body, diff)
		}
		if diff := cmp.Diff(tc.asked, asked); diff != "" {
			t.Errorf("%s: asked for (-want +got)\n%s", name, diff)
		}
		for key := range req.Header {
			if strings.HasPrefix(key, "Impersonate-") {
				t.Errorf("%s: the handler sees %s", name, key)
			}
		}
	}
}
