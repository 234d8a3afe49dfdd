package server_test

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

type exportFunc func(context.Context, rest.Name, metav1.GetOptions, bool) (rest.View, error)

func (f exportFunc) Export(ctx context.Context, n rest.Name, o metav1.GetOptions, exact bool) (rest.View, error) {
	return f(ctx, n, o, exact)
}

func TestExport(t *testing.T) {
	r := books()
	status, _ := bookParts()
	r.Export = exportFunc(func(_ context.Context, n rest.Name, o metav1.GetOptions, exact bool) (rest.View, error) {
		if exact {
			return aBook("exactly-" + n.Name + o.ResourceVersion), nil
		}
		return aBook("out-" + n.Name), nil
	})
	s := newServer(t, config(t, r, status))
	for query, want := range map[string]string{
		"":                                       `"name":"b"`,
		"?export=false":                          `"name":"b"`,
		"?exact=true":                            `"name":"b"`,
		"?export=true":                           `"name":"out-b"`,
		"?export":                                `"name":"out-b"`,
		"?export=1&exact=true&resourceVersion=7": `"name":"exactly-b7"`,
	} {
		if w := do(s, request{path: booksPath + "/b" + query}); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", query, w.Code, w.Body, want)
		}
	}
	wantStatus(t, do(s, request{path: booksPath + "/b/status?export=true"}), 400, metav1.StatusReasonBadRequest, "books/status can't be exported: leave the parameter export out")
}
