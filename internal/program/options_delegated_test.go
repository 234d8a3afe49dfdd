package program

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseDelegation(t *testing.T) {
	o, err := parse(Server{Name: "library"}, []string{
		"--authentication-kubeconfig=in-cluster", "--authorization-kubeconfig=a", "--authentication-skip-lookup",
		"--authentication-token-webhook-config-file=t", "--authorization-webhook-config-file=w", "--authentication-token-webhook-cache-ttl=1s",
		"--authorization-webhook-cache-authorized-ttl=2s", "--authorization-webhook-cache-unauthorized-ttl=0", "--authorization-always-allow-paths=/metrics,/debug/*",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := DelegationOptions{
		AuthenticationKubeconfig: "in-cluster", AuthorizationKubeconfig: "a", SkipLookup: true, TokenWebhook: "t", AccessWebhook: "w",
		TokenTTL: time.Second, AllowTTL: 2 * time.Second, AlwaysAllowPaths: []string{"/metrics", "/debug/*"},
	}
	if diff := cmp.Diff(want, o.Delegation); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if o, err = parse(Server{Name: "library"}, []string{"--authentication-kubeconfig=a", "--authentication-tolerate-lookup-failure"}); err != nil || !o.Delegation.TolerateLookupFailure {
		t.Errorf("--authentication-tolerate-lookup-failure: %v", err)
	}
}

func TestValidateDelegation(t *testing.T) {
	o := NewOptions("library")
	o.Delegation = DelegationOptions{SkipLookup: true, TolerateLookupFailure: true, TokenTTL: -1, AllowTTL: -2, DenyTTL: -3, AlwaysAllowPaths: []string{"/a*b"}}
	err := o.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"--authentication-skip-lookup: nothing", "--authentication-tolerate-lookup-failure: nothing", "exclude each other",
		"--authentication-token-webhook-cache-ttl=-1ns", "--authorization-webhook-cache-authorized-ttl=-2ns", "--authorization-webhook-cache-unauthorized-ttl=-3ns",
		"--authorization-always-allow-paths",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %s in:\n%v", want, err)
		}
	}
}
