package serve

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// pairs serves widgets that need another widget with the name of their color, except for red ones.
func pairs(loop func(context.Context)) program.Server {
	s := programtest.Widgets()
	s.Resources = []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
		StorageVersion: widget.GV1, Versions: s.Resources[0].Versions(),
		Strategy: registry.Strategy[*widget.Widget]{
			Validate: func(ctx context.Context, w *widget.Widget) field.ErrorList {
				if w.Spec.Color == "red" {
					return nil
				}
				if _, err := registry.Get[*widget.V1](ctx, w.Namespace, w.Spec.Color, metav1.GetOptions{}); err != nil {
					return field.ErrorList{field.Invalid(field.NewPath("spec", "color"), w.Spec.Color, err.Error())}
				}
				return nil
			},
		},
	})}
	s.APIs = []program.API{{Extend: func(_ context.Context, h *program.Host) error {
		if loop != nil {
			h.Go(loop)
		}
		return nil
	}}}
	return s
}

// TestLookup reads stored objects in a rule, over HTTP/1.1 and HTTP/2, and in a loop.
func TestLookup(t *testing.T) {
	seen := make(chan int, 1)
	i, client := runningServer(t, pairs(func(ctx context.Context) {
		for ctx.Err() == nil {
			all, err := registry.List[*widget.V1](ctx, "", metav1.ListOptions{})
			if err != nil {
				t.Errorf("the loop: %v", err)
				return
			}
			if len(all) == 2 {
				seen <- len(all)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}), nil)
	config, err := i.AdminTLS()
	if err != nil {
		t.Fatal(err)
	}
	one := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer one.CloseIdleConnections()
	for _, tc := range []struct {
		client      *http.Client
		name, color string
		want        int
	}{
		{client, "blue", "blue", http.StatusUnprocessableEntity},
		{client, "green", "red", http.StatusCreated},
		{one, "leaf", "green", http.StatusCreated},
		{one, "sea", "blue", http.StatusUnprocessableEntity},
	} {
		body := fmt.Sprintf(`{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":%q},"spec":{"color":%q}}`, tc.name, tc.color)
		resp, err := tc.client.Post(i.URL()+widgetsPath, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s, which needs %s: %s, want %d", tc.name, tc.color, resp.Status, tc.want)
		}
	}
	if n := <-seen; n != 2 {
		t.Errorf("the loop saw %d objects, want 2", n)
	}
}

// TestLookupInImport imports objects whose rule reads other objects.
func TestLookupInImport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "widgets.yaml")
	var objects strings.Builder
	for _, w := range [][2]string{{"green", "red"}, {"leaf", "green"}, {"sea", "blue"}} {
		fmt.Fprintf(&objects, "---\napiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: %s, namespace: default}\nspec: {color: %s}\n", w[0], w[1])
	}
	if err := os.WriteFile(file, []byte(objects.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, terminal bytes.Buffer
	err := run(t.Context(), pairs(nil), []string{"import", "--from", file, "--data-dir", programtest.StartEtcd(t, nil).Dir}, tool.Console{Out: &out, Err: &terminal})
	if err == nil || !strings.Contains(terminal.String(), `widgets.shop.example.com "blue" not found`) || strings.Count(terminal.String(), "not found") != 1 {
		t.Errorf("error %v, want the refusal of sea alone:\n%s%s", err, &out, &terminal)
	}
}
