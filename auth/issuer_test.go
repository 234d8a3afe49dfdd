package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Somebody else's library checks our tokens by what we tell of our keys.
func TestOthersCheckOurTokens(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]crypto.Signer{"RS256": rsaKey}
	for name, curve := range map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()} {
		if keys[name], err = ecdsa.GenerateKey(curve, rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	var public []crypto.PublicKey
	for _, key := range keys {
		public = append(public, key.Public(), key.Public())
	}

	var documents *IssuerDocuments
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if req.URL.Path == IssuerConfigPath {
			w.Write(documents.Config)
		} else {
			w.Write(documents.Keys)
		}
	}))
	defer server.Close()
	if documents, err = NewIssuerDocuments(server.URL, server.URL+IssuerKeysPath, public); err != nil {
		t.Fatal(err)
	}
	var set struct{ Keys []any }
	if err := json.Unmarshal(documents.Keys, &set); err != nil || len(set.Keys) != len(keys) {
		t.Errorf("%d keys, want %d, each once: %v", len(set.Keys), len(keys), err)
	}

	ctx := oidc.ClientContext(context.Background(), server.Client())
	provider, err := oidc.NewProvider(ctx, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: "vault"})
	for name, key := range keys {
		signer, err := NewTokenSigner(server.URL, key)
		if err != nil {
			t.Fatal(err)
		}
		token, _, err := signer.Sign(KubernetesPart{Namespace: "ns", ServiceAccount: ObjectRef{Name: "robot"}}, []string{"vault"}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := verifier.Verify(ctx, token); err != nil || id.Subject != "system:serviceaccount:ns:robot" {
			t.Errorf("%s: %v %v", name, id, err)
		}
		if _, err := verifier.Verify(ctx, token[:len(token)-8]+"AAAAAAAA"); err == nil {
			t.Errorf("%s: a token with another signature is good", name)
		}
	}
}

func TestIssuersThatCannotBeAsked(t *testing.T) {
	for _, issuer := range []string{"", "kubernetes/serviceaccount", "http://issuer.example.com", "https://"} {
		if _, err := NewIssuerDocuments(issuer, "https://h/keys", nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the issuer %q", issuer)) {
			t.Errorf("%q: %v", issuer, err)
		}
	}
	if _, err := NewIssuerDocuments("https://i", "http://h/keys", nil); err == nil || !strings.Contains(err.Error(), "address of the keys") {
		t.Error(err)
	}
}
