package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const issuer = "https://kubernetes.default.svc"

func signers(t testing.TB) map[string]crypto.Signer {
	t.Helper()
	ec, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ec5, err2 := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	rs, err3 := rsa.GenerateKey(rand.Reader, 2048)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	return map[string]crypto.Signer{"ES256": ec, "ES512": ec5, "RS256": rs}
}

func TestServiceAccountTokens(t *testing.T) {
	ctx := context.Background()
	for name, key := range signers(t) {
		uids := map[string]string{"serviceaccounts/ns/robot": "u-1", "pods/ns/p": "u-2"}
		s, err := NewServiceAccounts(ServiceAccountsConfig{Issuers: []string{issuer}, Keys: []crypto.PublicKey{key.Public()}, Audiences: []string{issuer},
			Lookup: func(_ context.Context, resource, namespace, name string) (string, time.Time, error) {
				return uids[resource+"/"+namespace+"/"+name], time.Time{}, nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		signer, err := NewTokenSigner(issuer, key)
		if err != nil {
			t.Fatal(err)
		}
		part := KubernetesPart{Namespace: "ns", ServiceAccount: ObjectRef{"robot", "u-1"}, Pod: &ObjectRef{"p", "u-2"}, Node: &ObjectRef{"n", "u-3"}}
		token, end, err := signer.Sign(part, []string{issuer, "vault"}, time.Hour)
		if err != nil || time.Until(end) < 59*time.Minute {
			t.Fatal(name, end, err)
		}
		if !strings.Contains(decodePart(t, token, 0), `"alg":"`+name+`"`) {
			t.Errorf("%s: header %s", name, decodePart(t, token, 0))
		}
		found, err := s.AuthenticateToken(ctx, token, []string{issuer})
		if err != nil || found == nil {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		id := found.User.Extra["authentication.kubernetes.io/credential-id"]
		if len(id) != 1 || !strings.HasPrefix(id[0], "JTI=") {
			t.Errorf("credential id %v", id)
		}
		delete(found.User.Extra, "authentication.kubernetes.io/credential-id")
		want := &Token{Audiences: []string{issuer}, User: &User{
			Name: "system:serviceaccount:ns:robot", UID: "u-1", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ns"},
			Extra: map[string][]string{
				"authentication.kubernetes.io/pod-name": {"p"}, "authentication.kubernetes.io/pod-uid": {"u-2"},
				"authentication.kubernetes.io/node-name": {"n"}, "authentication.kubernetes.io/node-uid": {"u-3"},
			},
		}}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}

		refuse := func(what, token, audience, problem string) {
			t.Helper()
			found, err := s.AuthenticateToken(ctx, token, []string{audience})
			if found != nil || err == nil || !strings.Contains(err.Error(), problem) {
				t.Errorf("%s, %s: %v, %v", name, what, found, err)
			}
		}
		refuse("another audience", token, "other", "meant for")
		refuse("a changed token", withPayload(token, decodePart(t, token, 1)+" "), issuer, "no key")
		refuse("no signature", token[:strings.LastIndex(token, ".")+1], issuer, "no key")
		none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + token[strings.Index(token, "."):]
		refuse("alg none", none, issuer, "no key")
		s.now = func() time.Time { return end }
		refuse("expired", token, issuer, "expired")
		s.now = func() time.Time { return time.Now().Add(-time.Hour) }
		refuse("too early", token, issuer, "not good yet")
		s.now = time.Now
		uids["pods/ns/p"] = "another"
		refuse("another pod", token, issuer, `pods "p" has the uid another, the token has u-2`)
		uids["pods/ns/p"] = "u-2"
		delete(uids, "serviceaccounts/ns/robot")
		refuse("no service account", token, issuer, `serviceaccounts "robot" of the token does not exist`)
	}
}

// TestTokensOfDeletedObjects covers an object that is being deleted: its token is good until a
// minute after the deletionTimestamp, for each kind of object that a token depends on.
func TestTokensOfDeletedObjects(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	key := signers(t)["ES256"]
	signer, err := NewTokenSigner(issuer, key)
	if err != nil {
		t.Fatal(err)
	}
	account := KubernetesPart{Namespace: "ns", ServiceAccount: ObjectRef{"robot", "u"}}
	pod, secret, node := account, account, account
	pod.Pod, pod.Node = &ObjectRef{"o", "u"}, &ObjectRef{Name: "gone"}
	secret.Secret, node.Node = &ObjectRef{"o", "u"}, &ObjectRef{"o", "u"}
	for deleted, part := range map[string]KubernetesPart{"serviceaccounts": account, "pods": pod, "secrets": secret, "nodes": node} {
		var deletion time.Time
		s, err := NewServiceAccounts(ServiceAccountsConfig{Issuers: []string{issuer}, Keys: []crypto.PublicKey{key.Public()},
			Lookup: func(_ context.Context, resource, _, name string) (string, time.Time, error) {
				switch {
				case name == "gone":
					return "", time.Time{}, nil
				case resource == deleted:
					return "u", deletion, nil
				}
				return "u", time.Time{}, nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		s.now = func() time.Time { return now }
		token, _, err := signer.Sign(part, []string{issuer}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for after, good := range map[time.Duration]bool{
			-100 * 365 * 24 * time.Hour: true, -10 * time.Minute: true, 0: true, 59 * time.Second: true, time.Minute: true,
			61 * time.Second: false, time.Hour: false, 50 * 365 * 24 * time.Hour: false,
		} {
			deletion = now.Add(-after)
			found, err := s.AuthenticateToken(t.Context(), token, []string{issuer})
			if good != (found != nil && err == nil) || !good && !strings.Contains(err.Error(), deleted+` "`) {
				t.Errorf("%s, %s after the deletionTimestamp: %v, %v", deleted, after, found, err)
			}
		}
	}
}

// TestForeignTokens: what is not ours is left to others.
func TestForeignTokens(t *testing.T) {
	key := signers(t)["ES256"]
	s, err := NewServiceAccounts(ServiceAccountsConfig{Issuers: []string{issuer}, Keys: []crypto.PublicKey{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := NewTokenSigner("https://accounts.example.com", key)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := foreign.Sign(KubernetesPart{Namespace: "ns", ServiceAccount: ObjectRef{Name: "robot"}}, nil, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{token, "", "a.b", "a.b.c", "e30.e30.e30", "🙂.🙂.🙂"} {
		if found, err := s.AuthenticateToken(context.Background(), text, []string{issuer}); found != nil || err != nil {
			t.Errorf("%q: %v, %v", text, found, err)
		}
	}
}

func TestParseKeys(t *testing.T) {
	key := signers(t)["RS256"]
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := append(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if keys, err := ParsePublicKeys(file); err != nil || len(keys) != 2 {
		t.Errorf("%v, %v", keys, err)
	}
	if signer, err := ParsePrivateKey(file); err != nil || !key.Public().(*rsa.PublicKey).Equal(signer.Public()) {
		t.Errorf("%v, %v", signer, err)
	}
	for _, text := range []string{"", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, err := ParsePublicKeys([]byte(text)); err == nil {
			t.Errorf("%q has keys", text)
		}
		if _, err := ParsePrivateKey([]byte(text)); err == nil {
			t.Errorf("%q has a key", text)
		}
	}
}

func decodePart(t *testing.T, token string, i int) string {
	t.Helper()
	data, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[i])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func withPayload(token, payload string) string {
	parts := strings.Split(token, ".")
	parts[1] = base64.RawURLEncoding.EncodeToString([]byte(payload))
	return strings.Join(parts, ".")
}
