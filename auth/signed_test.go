package auth

import (
	"context"
	"crypto"
	"crypto/sha256"
	"strconv"
	"testing"
	"time"
)

// TestSigned: a signature is verified once, and tokens in use stay remembered among many others.
func TestSigned(t *testing.T) {
	s, token := oneToken(t)
	ask := func() error {
		_, err := s.AuthenticateToken(context.Background(), token, []string{issuer})
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	s.keys = nil
	sum := func(i int) [sha256.Size]byte { return sha256.Sum256([]byte(strconv.Itoa(i))) }
	for i := range 10 * signedTokens {
		s.signed.add(sum(i), new(Claims))
		if i%(signedTokens/2) == 0 {
			if err := ask(); err != nil {
				t.Fatalf("a token in use, behind %d others: %v", i, err)
			}
		}
	}
	if n := len(s.signed.young) + len(s.signed.old); n > 2*signedTokens {
		t.Errorf("%d tokens are remembered", n)
	}
	for i := range 2 * signedTokens {
		s.signed.add(sum(i), new(Claims))
	}
	if ask() == nil {
		t.Error("a token is remembered that was not shown for long")
	}
}

// BenchmarkServiceAccountToken is what a token costs that is new, and one in use.
func BenchmarkServiceAccountToken(b *testing.B) {
	s, token := oneToken(b)
	ask := func() {
		if _, err := s.AuthenticateToken(context.Background(), token, []string{issuer}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.signed = signed{}
			ask()
		}
	})
	b.Run("in use", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ask()
		}
	})
}

func oneToken(t testing.TB) (*ServiceAccounts, string) {
	key := signers(t)["ES256"]
	s, err := NewServiceAccounts(ServiceAccountsConfig{Issuers: []string{issuer}, Keys: []crypto.PublicKey{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	signer, err := NewTokenSigner(issuer, key)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := signer.Sign(KubernetesPart{Namespace: "ns", ServiceAccount: ObjectRef{Name: "robot"}}, []string{issuer}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return s, token
}
