package program

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseAuth(t *testing.T) {
	o, err := parse(Server{Name: "library"}, []string{
		"--client-ca-file=ca", "--token-auth-file=tokens", "--anonymous-auth", "--api-audiences=a,b",
		"--requestheader-client-ca-file=front", "--requestheader-allowed-names=x,y", "--requestheader-username-headers=U", "--requestheader-uid-headers=I", "--requestheader-group-headers=G,H", "--requestheader-extra-headers-prefix=E-",
		"--service-account-issuer=https://i", "--service-account-key-file=k1", "--service-account-key-file=k2", "--service-account-signing-key-file=s", "--service-account-lookup=false", "--service-account-jwks-uri=https://k/keys", "--root-ca-file=root",
		"--oidc-issuer-url=https://p", "--oidc-client-id=c", "--oidc-ca-file=oca", "--oidc-username-claim=email", "--oidc-username-prefix=-", "--oidc-groups-claim=groups", "--oidc-groups-prefix=o:", "--oidc-required-claim=hd=example.com", "--oidc-signing-algs=ES256",
		"--authorization-mode=RBAC,AlwaysAllow",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := AuthenticationOptions{
		ClientCAFile: "ca", TokenFile: "tokens", Anonymous: true, APIAudiences: []string{"a", "b"},
		RequestHeaderCAFile: "front", RequestHeaderAllowedNames: []string{"x", "y"}, RequestHeaderUsernameHeaders: []string{"U"}, RequestHeaderUIDHeaders: []string{"I"}, RequestHeaderGroupHeaders: []string{"G", "H"}, RequestHeaderExtraPrefixes: []string{"E-"},
		ServiceAccountIssuers: []string{"https://i"}, ServiceAccountKeyFiles: []string{"k1", "k2"}, ServiceAccountSigningKeyFile: "s", ServiceAccountJWKSURI: "https://k/keys", RootCAFile: "root",
		OIDC: OIDCOptions{IssuerURL: "https://p", ClientID: "c", CAFile: "oca", UsernameClaim: "email", UsernamePrefix: "-", GroupsClaim: "groups", GroupsPrefix: "o:", RequiredClaims: []string{"hd=example.com"}, SigningAlgs: []string{"ES256"}},
	}
	if diff := cmp.Diff(want, o.Authentication); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(AuthorizationOptions{Modes: []string{"RBAC", "AlwaysAllow"}}, o.Authorization); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateAuth(t *testing.T) {
	o := NewOptions("library")
	a := &o.Authentication
	a.RequestHeaderAllowedNames, a.RequestHeaderUsernameHeaders, a.RequestHeaderGroupHeaders = []string{"x"}, nil, []string{""}
	a.ServiceAccountIssuers = []string{""}
	a.ServiceAccountJWKSURI = "http://k/keys"
	a.OIDC.IssuerURL, a.OIDC.UsernameClaim, a.OIDC.RequiredClaims, a.OIDC.SigningAlgs = "http://x", "", []string{"x"}, []string{"none"}
	o.Authorization.Modes = []string{"Node", "RBAC", "RBAC"}
	err := o.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"--requestheader-allowed-names: nobody", "--requestheader-username-headers", "--requestheader-group-headers: one of the names is empty", "--service-account-issuer=", "--service-account-jwks-uri=http://k/keys: want",
		"--oidc-issuer-url and --oidc-client-id", "begins with https://", "--oidc-username-claim", "--oidc-required-claim=x", "--oidc-signing-algs=none",
		"--authorization-mode=Node: choose of RBAC, Webhook, AlwaysAllow", "RBAC is there twice",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %s in:\n%v", want, err)
		}
	}
}
