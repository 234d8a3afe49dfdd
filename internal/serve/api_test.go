package serve

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// withWidgets is a server that has nothing of its own.
func withWidgets() Server {
	w := widgetServer()
	return Server{Name: "empty", APIs: []API{{AddToScheme: w.AddToScheme, Resources: w.Resources, OpenAPI: w.OpenAPI, Virtual: []string{"reviews"}}}}
}

func TestWithAPIs(t *testing.T) {
	s := withWidgets()
	for _, tc := range []struct {
		names string
		on    map[string]bool
		fails string
	}{
		{names: "", on: map[string]bool{"widgets": true, "reviews": true}},
		{names: "all", on: map[string]bool{"widgets": true, "reviews": true}},
		{names: "widgets", on: map[string]bool{"widgets": true}},
		{names: "reviews", on: map[string]bool{"reviews": true}},
		{names: "none", on: map[string]bool{}},
		{names: "none,widgets", fails: "none is for nothing else beside it"},
		{names: "widget", fails: `--enable-api: there is no "widget"; did you mean widgets?`},
		{names: "qqqqqqqqqq", fails: "choose of widgets, reviews, all, none"},
	} {
		var names []string
		if tc.names != "" {
			names = strings.Split(tc.names, ",")
		}
		joined, on, err := s.withAPIs(names)
		if tc.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: %v, want %q", tc.names, err, tc.fails)
			}
			continue
		}
		if diff := cmp.Diff(tc.on, on); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", tc.names, err, diff)
			continue
		}
		if served := len(joined.Resources) == 1; served != tc.on["widgets"] {
			t.Errorf("%s: %d resources", tc.names, len(joined.Resources))
		}
		if _, err := joined.scheme(); err != nil {
			t.Errorf("%s: %v", tc.names, err)
		}
	}
	if k, err := s.allKinds(&NewOptions("empty").Store); err != nil || len(k.resources) != 1 {
		t.Errorf("tools: %v", err)
	}
}

func TestWants(t *testing.T) {
	h := &Host{enabled: map[string]bool{"reviews": true}}
	for _, tc := range []struct {
		virtual []string
		want    bool
	}{{nil, true}, {[]string{"reviews"}, true}, {[]string{"widgets"}, false}, {[]string{"widgets", "reviews"}, true}} {
		if got := h.wants(API{Virtual: tc.virtual}); got != tc.want {
			t.Errorf("an API of %q is extended: %v", tc.virtual, got)
		}
	}
}

func TestJoinSchemas(t *testing.T) {
	got, err := joinSchemas([]string{`{"a":{"type":"object"},"b":{}}`, `{"b":{},"c":{}}`})
	if want := `{"a":{"type":"object"},"b":{},"c":{}}`; err != nil || got != want {
		t.Errorf("%v, %s, want %s", err, got, want)
	}
	if _, err := joinSchemas([]string{"{", "{}"}); err == nil {
		t.Error("a broken document is joined")
	}
}

// The flags are there for programs with APIs, and no others.
func TestAPIFlags(t *testing.T) {
	o, err := parse(withWidgets(), []string{"--enable-api=widgets", "--event-ttl=5m"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(APIOptions{Enable: []string{"widgets"}, EventTTL: 5 * time.Minute}, o.API); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := parse(widgetServer(), []string{"--enable-api=all"}); err == nil {
		t.Error("--enable-api is a flag of a program without APIs")
	}
	o.API.EventTTL = time.Millisecond
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "--event-ttl=1ms") {
		t.Errorf("--event-ttl=1ms: %v", err)
	}
	events := schema.GroupResource{Resource: "events"}
	if got := o.API.lifetime(events.Group, events.Resource); got != time.Millisecond {
		t.Errorf("events are kept for %v", got)
	}
	if got := o.API.lifetime("", "pods"); got != 0 {
		t.Errorf("pods are kept for %v", got)
	}
}

// TestAlone: loops of one lease run together while it is held; without an election they run in
// every server.
func TestAlone(t *testing.T) {
	for name, held := range map[string]string{"no election": "", "one lease is held": "a"} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var ran []string
			h := new(Host)
			for _, loop := range []string{"a/1", "a/2", "b/1"} {
				lease, _, _ := strings.Cut(loop, "/")
				h.Alone(lease, func(context.Context) {
					mu.Lock()
					defer mu.Unlock()
					ran = append(ran, loop)
				})
			}
			want := []string{"a/1", "a/2", "b/1"}
			if held != "" {
				want = want[:2]
				h.Elect = func(ctx context.Context, lease string, lead func(context.Context)) {
					if lease == held {
						lead(ctx)
					}
				}
			}
			h.elections()
			startLoops(t.Context(), h.loops)()
			if slices.Sort(ran); !slices.Equal(ran, want) {
				t.Errorf("%q ran, want %q", ran, want)
			}
		})
	}
}
