package serviceaccount

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// objects are some, by resource and name, as JSON.
type objects map[string]string

type oneResource struct {
	objects
	plural string
}

type text string

func (v text) WriteTo(w io.Writer, _ rest.Representation) error {
	_, err := io.WriteString(w, string(v))
	return err
}

func (o oneResource) Get(_ context.Context, name rest.Name, _ metav1.GetOptions) (rest.View, error) {
	if obj, ok := o.objects[o.plural+"/"+name.Name]; ok {
		return text(obj), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: o.plural}, name.Name)
}

func TestTokens(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := auth.NewTokenSigner("https://issuer", key)
	if err != nil {
		t.Fatal(err)
	}
	all := objects{
		"serviceaccounts/robot": `{"metadata":{"uid":"u1"}}`,
		"secrets/s":             `{"metadata":{"uid":"u2"}}`,
		"pods/p":                `{"metadata":{"uid":"u3"},"spec":{"serviceAccountName":"robot","nodeName":"n"}}`,
		"pods/other":            `{"metadata":{"uid":"u4"},"spec":{"serviceAccountName":"default"}}`,
	}
	tokens := &tokens{signer: signer, audiences: []string{"api"}, objects: func(plural string) *rest.Resource {
		return &rest.Resource{Get: oneResource{all, plural}}
	}}
	checker, err := auth.NewServiceAccounts(auth.ServiceAccountsConfig{Issuers: []string{"https://issuer"}, Keys: []crypto.PublicKey{&key.PublicKey}})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{}`: "system:serviceaccount:ns:robot for api",
		`{"spec":{"audiences":["vault"],"expirationSeconds":600}}`:                                 "system:serviceaccount:ns:robot for vault",
		`{"spec":{"expirationSeconds":599}}`:                                                       "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
		`{"spec":{"expirationSeconds":4294967297}}`:                                                "larger than 2^32 seconds",
		`{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s","uid":"u2"}}}`:    "system:serviceaccount:ns:robot for api",
		`{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s","uid":"other"}}}`: "does not match the UID in record",
		`{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"gone"}}}`:            `secrets "gone" not found`,
		`{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}}}`:                  "system:serviceaccount:ns:robot for api",
		`{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"other"}}}`:              "different serviceaccount name",
		`{"spec":{"boundObjectRef":{"kind":"Deployment","apiVersion":"apps/v1","name":"d"}}}`:      "it can be a Pod or a Secret",
		`{"metadata":{"namespace":"elsewhere"}}`:                                                   "must use the service account's namespace ns",
	} {
		request := new(authenticationv1.TokenRequest)
		if err := json.Unmarshal([]byte(body), request); err != nil {
			t.Fatal(err)
		}
		got := ask(t, tokens, checker, request)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if _, err := tokens.Create(t.Context(), new(rest.Request), rest.Name{Namespace: "ns", Name: "nobody"}, new(authenticationv1.TokenRequest), metav1.CreateOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an account that is missing: %v", err)
	}
}

// ask returns whose token comes back, and for whom it is, or the error.
func ask(t *testing.T, tokens *tokens, checker *auth.ServiceAccounts, request *authenticationv1.TokenRequest) string {
	t.Helper()
	view, err := tokens.Create(t.Context(), new(rest.Request), rest.Name{Namespace: "ns", Name: "robot"}, request, metav1.CreateOptions{})
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON}); err != nil {
		t.Fatal(err)
	}
	answer := new(authenticationv1.TokenRequest)
	if err := json.Unmarshal(b.Bytes(), answer); err != nil || answer.Kind != "TokenRequest" || answer.Status.ExpirationTimestamp.IsZero() || answer.Name != "robot" {
		t.Fatalf("%v, %s", err, b.Bytes())
	}
	token, err := checker.AuthenticateToken(t.Context(), answer.Status.Token, answer.Spec.Audiences)
	if err != nil || token == nil {
		t.Fatalf("the token is not good: %v", err)
	}
	return token.User.Name + " for " + strings.Join(token.Audiences, ",")
}
