package auth

import (
	"context"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOIDC runs a provider with one key.
func TestOIDC(t *testing.T) {
	keys := signers(t)
	key := keys["ES256"].(*ecdsa.PrivateKey)
	mux := http.NewServeMux()
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	answer := func(path string, document any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(document)
		})
	}
	coordinate := func(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	answer("/.well-known/openid-configuration", map[string]any{"issuer": server.URL, "jwks_uri": server.URL + "/keys", "authorization_endpoint": server.URL, "token_endpoint": server.URL, "response_types_supported": []string{"id_token"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"ES256"}})
	answer("/keys", map[string]any{"keys": []any{map[string]string{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "k", "x": coordinate(key.X.FillBytes(make([]byte, 32))), "y": coordinate(key.Y.FillBytes(make([]byte, 32)))}}})

	o, err := NewOIDC(OIDCConfig{
		Issuer: server.URL, ClientID: "kubectl", CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		UsernameClaim: "email", GroupsClaim: "groups", GroupsPrefix: "oidc:", RequiredClaims: map[string]string{"hd": "example.com"},
		SigningAlgorithms: []string{"ES256"}, Audiences: []string{"api"},
	})
	if err != nil {
		t.Fatal(err)
	}
	sign := func(by string, change map[string]any) string {
		t.Helper()
		claims := map[string]any{"iss": server.URL, "aud": "kubectl", "exp": time.Now().Add(time.Hour).Unix(), "email": "jane@example.com", "groups": []string{"dev", "ops"}, "hd": "example.com"}
		for name, value := range change {
			claims[name] = value
		}
		data, err := json.Marshal(claims)
		if err != nil {
			t.Fatal(err)
		}
		token, err := signJWT(keys[by], "k", data)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	found, err := o.AuthenticateToken(context.Background(), sign("ES256", nil), []string{"api"})
	if err != nil {
		t.Fatal(err)
	}
	want := &Token{User: &User{Name: "jane@example.com", Groups: []string{"oidc:dev", "oidc:ops"}}, Audiences: []string{"api"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for problem, token := range map[string]string{
		"expired":           sign("ES256", map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
		"audience":          sign("ES256", map[string]any{"aud": "other"}),
		"signature":         sign("ES512", nil),
		"not the required":  sign("ES256", map[string]any{"hd": "other"}),
		"no claim":          sign("ES256", map[string]any{"email": nil}),
		"not verified":      sign("ES256", map[string]any{"email_verified": false}),
		"neither a string":  sign("ES256", map[string]any{"groups": 7}),
		"that is no string": sign("ES256", map[string]any{"groups": []any{7}}),
	} {
		if found, err := o.AuthenticateToken(context.Background(), token, []string{"api"}); err == nil || found != nil {
			t.Errorf("%s: %v, %v", problem, found, err)
		} else if problem != "signature" && !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %q", err, problem)
		}
	}
	for _, token := range []string{"", "x", sign("ES256", map[string]any{"iss": "https://other"})} {
		if found, err := o.AuthenticateToken(context.Background(), token, []string{"api"}); err != nil || found != nil {
			t.Errorf("of somebody else: %v, %v", found, err)
		}
	}
}
