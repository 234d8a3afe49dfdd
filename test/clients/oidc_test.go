package clients

import (
	"context"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	provided "github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
	"golang.org/x/oauth2"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestOpenIDConnect: somebody logs in at a provider that is written by others and certified by the
// OpenID Foundation, the way kubectl's plug-in does. The token that comes of it is who they are,
// and their group has rights.
func TestOpenIDConnect(t *testing.T) {
	p := newProvider(t)
	s := start(t, "library",
		"--oidc-issuer-url", p.URL, "--oidc-client-id", providerClient, "--oidc-ca-file", p.caFile,
		"--oidc-username-claim", "email", "--oidc-groups-claim", "groups", "--oidc-groups-prefix", "oidc:")
	admin, err := kubernetes.NewForConfig(s.config)
	must(t, err)
	grantReaders(t, admin)

	first := p.login(t, "test-user2", "verysecure")
	user := asBearer(t, s, first.IDToken)
	who, err := user.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	must(t, err)
	if got := who.Status.UserInfo; got.Username != "test-user2@zitadel.ch" || strings.Join(got.Groups, " ") != "oidc:readers system:authenticated" {
		t.Errorf("the server takes the user for %+v", got)
	}
	if _, err := user.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("what the group may do: %v", err)
	}
	if err := user.CoreV1().Namespaces().Delete(t.Context(), "default", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("what it may not do: %v", err)
	}

	again, err := rp.RefreshTokens[*oidc.IDTokenClaims](p.trusting(t.Context()), p.party, first.RefreshToken, "", "")
	must(t, err)
	if _, err := asBearer(t, s, again.IDToken).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("with a token that was renewed: %v", err)
	}
	for what, token := range map[string]string{
		"the access token, which is not for us": first.AccessToken,
		"a token that was changed":              changed(first.IDToken),
		"a token of another client":             newProvider(t).login(t, "test-user2", "verysecure").IDToken,
	} {
		if _, err := asBearer(t, s, token).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// grantReaders lets the group of the provider's users list namespaces, and waits until it may.
func grantReaders(t *testing.T, admin kubernetes.Interface) {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list"}}},
	}
	_, err := admin.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "oidc:readers"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "readers"},
	}
	_, err = admin.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		Groups:             []string{"oidc:readers"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "namespaces"},
	}}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		answer, err := admin.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		must(t, err)
		if answer.Status.Allowed {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the group never got its rights: %+v", answer.Status)
		}
	}
}

// asBearer returns a client that has nothing but a token.
func asBearer(t *testing.T, s *server, token string) kubernetes.Interface {
	t.Helper()
	config := rest.AnonymousClientConfig(s.config)
	config.BearerToken = token
	client, err := kubernetes.NewForConfig(config)
	must(t, err)
	return client
}

// changed returns the token with other claims than those that were signed.
func changed(token string) string {
	parts := strings.Split(token, ".")
	middle := []byte(parts[1])
	middle[len(middle)/2] ^= 1
	return parts[0] + "." + string(middle) + "." + parts[2]
}

const (
	providerClient = "library"
	// redirect is where the provider sends a browser after the login. Nobody listens there.
	redirect = "http://localhost:8000/callback"
)

// provider is a server of OpenID Connect, and a client that is registered there.
type provider struct {
	URL, caFile string
	party       rp.RelyingParty
	http        *http.Client
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	issuer := "https://" + server.Listener.Addr().String()
	client := provided.NativeClient(providerClient, redirect)
	storage := provided.NewStorageWithClients(provided.NewUserStore(issuer), map[string]*provided.Client{providerClient: client})
	server.Config.Handler = exampleop.SetupServer(issuer, grouped{storage}, slog.New(slog.DiscardHandler), false)
	server.StartTLS()
	t.Cleanup(server.Close)

	p := &provider{URL: issuer, caFile: filepath.Join(t.TempDir(), "ca.pem"), http: server.Client()}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	must(t, os.WriteFile(p.caFile, ca, 0o600))
	var err error
	p.party, err = rp.NewRelyingPartyOIDC(t.Context(), issuer, providerClient, "", redirect,
		[]string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeOfflineAccess}, rp.WithHTTPClient(p.http))
	must(t, err)
	return p
}

// trusting returns a context for requests that trust the provider's certificate.
func (p *provider) trusting(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, p.http)
}

// login does what a browser and kubectl's plug-in do together: the flow with an authorization code
// and PKCE.
func (p *provider) login(t *testing.T, user, password string) *oidc.Tokens[*oidc.IDTokenClaims] {
	t.Helper()
	const verifier = "a-verifier-of-at-least-forty-three-characters-long"
	browser := *p.http
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	follow := func(resp *http.Response, err error) *url.URL {
		t.Helper()
		must(t, err)
		resp.Body.Close()
		to, err := resp.Location()
		if err != nil {
			t.Fatalf("%s of %s: %v", resp.Status, resp.Request.URL, err)
		}
		return to
	}
	page := follow(browser.Get(rp.AuthURL("state", p.party, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier)))))
	form := url.Values{"username": {user}, "password": {password}, "id": {page.Query().Get("authRequestID")}}
	back := follow(browser.PostForm(p.URL+page.Path, form))
	code := follow(browser.Get(back.String())).Query().Get("code")
	tokens, err := rp.CodeExchange[*oidc.IDTokenClaims](p.trusting(t.Context()), code, p.party, rp.WithCodeVerifier(verifier))
	must(t, err)
	return tokens
}

// grouped adds a group to what the provider's example says of users, and says it in ID tokens as
// providers do with whom Kubernetes works.
type grouped struct{ *provided.Storage }

func (g grouped) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	client, err := g.Storage.GetClientByClientID(ctx, id)
	return talkative{client}, err
}

type talkative struct{ op.Client }

func (talkative) IDTokenUserinfoClaimsAssertion() bool { return true }

func (g grouped) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, token op.IDTokenRequest, scopes []string) error {
	info.AppendClaims("groups", []string{"readers"})
	return g.Storage.SetUserinfoFromRequest(ctx, info, token, scopes)
}

func (g grouped) SetUserinfoFromScopes(ctx context.Context, info *oidc.UserInfo, user, client string, scopes []string) error {
	info.AppendClaims("groups", []string{"readers"})
	return g.Storage.SetUserinfoFromScopes(ctx, info, user, client, scopes)
}
