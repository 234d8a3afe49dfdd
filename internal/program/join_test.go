package program

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// withWidgets is a server that has nothing of its own.
func withWidgets() Server {
	resources := []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1},
	})}
	return Server{Name: "empty", APIs: []API{{AddToScheme: widget.AddToScheme, Resources: resources, Virtual: []string{"reviews"}}}}
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
		joined, on, err := Join(s, names)
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
		if _, err := NewScheme(joined); err != nil {
			t.Errorf("%s: %v", tc.names, err)
		}
	}
	s.APIs[0] = Own(s.APIs[0])
	if joined, on, err := Join(s, []string{"none"}); err != nil || len(joined.Resources) != 1 || len(on) != 0 {
		t.Errorf("what is the program's own can be left out: %d resources, %v, %v", len(joined.Resources), on, err)
	}
	if _, err := parse(s, []string{"--enable-api=none"}); err == nil {
		t.Error("--enable-api is a flag of a program that has nothing to choose of")
	}
	if all, _, err := Join(s, nil); err != nil || len(all.Resources) != 1 {
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
	// The kind stays one, on whichever side another document has it as a field.
	const field, kind = `{"a":{"type":"object"}}`, `{"a":{"type":"object","x-kubernetes-group-version-kind":[{"group":"","version":"v1","kind":"A"}]}}`
	for _, texts := range [][]string{{field, kind}, {kind, field}} {
		if got, err := joinSchemas(texts); got != kind {
			t.Errorf("%v, %s, want %s", err, got, kind)
		}
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
	if _, err := parse(Server{Name: "widgets"}, []string{"--enable-api=all"}); err == nil {
		t.Error("--enable-api is a flag of a program without APIs")
	}
	o.API.EventTTL = time.Millisecond
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "--event-ttl=1ms") {
		t.Errorf("--event-ttl=1ms: %v", err)
	}
	if got := Lifetime(&o.API, "", "events"); got != time.Millisecond {
		t.Errorf("events are kept for %v", got)
	}
	if got := Lifetime(&o.API, "", "pods"); got != 0 {
		t.Errorf("pods are kept for %v", got)
	}
}
