package tool

import (
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// What an earlier release has stored keeps the next one from starting without the version, until it
// was migrated.
func TestStoredVersions(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	check := func(s program.Server, args ...string) error {
		t.Helper()
		o := program.NewOptions("widgets")
		o.Store.Versions = args
		known, err := database.NewKinds(s, &o.Store)
		if err != nil {
			t.Fatal(err)
		}
		o.Store.DataDir = e.Dir
		db, err := database.Attach(t.Context(), s, &o.Store, func(string) {}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		return known.CheckVersions(t.Context(), db, s.Name)
	}
	now, later := programtest.Widgets(), programtest.Widgets().Without(widget.GV1beta1)
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
	accepted := func(s program.Server, args ...string) {
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
	const header = "format 2, release v0.1.0\n"
	noted(header + `{"keyPrefixes":{},"versions":{"widgets.shop.example.com":["shop.example.com/v1","shop.example.com/v1beta1"]}}`)
	refused()
	must(t, "migrate", "--data-dir", e.Dir)
	noted(header + `{"keyPrefixes":{},"versions":{"widgets.shop.example.com":["shop.example.com/v1"]}}`)
	accepted(later)

	// A server that would write the old version is enough, whether it has or not.
	accepted(now, "shop.example.com/v1beta1")
	refused()
	must(t, "migrate", "--data-dir", e.Dir)
	accepted(later)

	// A record of a later release keeps every program of this one away.
	e.Put(t, "/registry/.stored-versions", "format 3, release v9.0.0\n{}")
	if err := check(now); err == nil || !strings.Contains(err.Error(), "start a program that is built with Typeplane v9.0.0 or later") {
		t.Errorf("a record of a later release: %v", err)
	}
	noted("format 3, release v9.0.0\n{}")
}
