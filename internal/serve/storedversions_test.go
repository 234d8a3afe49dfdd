package serve

import (
	"strings"
	"testing"

	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// What an earlier release has stored keeps the next one from starting without the version, until it
// was migrated.
func TestStoredVersions(t *testing.T) {
	e := startEtcd(t, map[string]string{prefix + "ns/beta": betaJSON})
	check := func(s Server, args ...string) error {
		t.Helper()
		o := NewOptions("widgets")
		o.Store.Versions = args
		known, err := s.kinds(&o.Store)
		if err != nil {
			t.Fatal(err)
		}
		i := &Instance{program: s, options: o, known: known, db: e.database()}
		return i.checkVersions(t.Context())
	}
	now, later := widgetServer(), widgetServer().Without(widget.GV1beta1)
	refused := func() {
		t.Helper()
		err := check(later)
		if err == nil {
			t.Fatal("it would start")
		}
		for _, want := range []string{"widgets.shop.example.com may be stored in shop.example.com/v1beta1, which this program does not have", "it has shop.example.com/v1, legacy.example.com/v1alpha1)", "`widgets migrate`"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
	}
	accepted := func(s Server, args ...string) {
		t.Helper()
		if err := check(s, args...); err != nil {
			t.Fatal(err)
		}
	}
	noted := func(want string) {
		t.Helper()
		resp, err := e.Client().Get(t.Context(), "/registry/.stored-versions")
		if err != nil || len(resp.Kvs) != 1 || string(resp.Kvs[0].Value) != want {
			t.Errorf("noted %v, %v, want %s", resp, err, want)
		}
	}

	refused() // by what lies there: nothing is noted yet
	accepted(now)
	noted(`{"widgets.shop.example.com":["shop.example.com/v1","shop.example.com/v1beta1"]}`)
	refused()
	must(t, "migrate", "--data-dir", e.dir)
	noted(`{"widgets.shop.example.com":["shop.example.com/v1"]}`)
	accepted(later)

	// A server that would write the old version is enough, whether it has or not.
	accepted(now, "shop.example.com/v1beta1")
	refused()
	must(t, "migrate", "--data-dir", e.dir)
	accepted(later)
}
