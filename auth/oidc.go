package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// OIDCConfig says which tokens of an OpenID Connect provider are good, and whom they name.
type OIDCConfig struct {
	// Issuer is the provider's URL, with https, and ClientID the audience of its tokens.
	Issuer, ClientID string
	// CA has the authorities of the provider's certificate in PEM; nil: those of the system.
	CA []byte
	// UsernameClaim holds the name of the user. For "email" the claim email_verified must not say
	// no.
	UsernameClaim string
	// UsernamePrefix goes before the name; "-" is none, "" is the issuer with a "#", or none for
	// the claim "email".
	UsernamePrefix string
	// GroupsClaim holds a group or a list of them; "": the tokens name no groups. GroupsPrefix goes
	// before each.
	GroupsClaim, GroupsPrefix string
	// RequiredClaims must be in the token, with these values.
	RequiredClaims map[string]string
	// SigningAlgorithms are those that the signature may have; none: RS256.
	SigningAlgorithms []string
	// Audiences are the server's names for itself: whoever has a token is authenticated for them.
	Audiences []string
}

// OIDC knows the tokens of one provider. It asks the provider for its keys when the first token
// comes, so that the server starts without it. It is safe for concurrent use.
type OIDC struct {
	config OIDCConfig
	client *http.Client

	mu       sync.Mutex // guards what follows
	verifier *oidc.IDTokenVerifier
	failed   error     // why there is no verifier
	failedAt time.Time // when that was
}

var _ TokenAuthenticator = (*OIDC)(nil)

// The time that the provider has to answer, and how long nobody asks again after it has not.
const (
	oidcTimeout = 10 * time.Second
	oidcPause   = 10 * time.Second
)

// NewOIDC keeps the config, which must not be modified any more.
func NewOIDC(config OIDCConfig) (*OIDC, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if config.CA != nil {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(config.CA) {
			return nil, errors.New("auth: OIDC: the CA has no certificate in PEM")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &OIDC{config: config, client: &http.Client{Transport: transport, Timeout: oidcTimeout}}, nil
}

// AuthenticateToken leaves tokens of other issuers to others.
func (o *OIDC) AuthenticateToken(ctx context.Context, token string, asked []string) (*Token, error) {
	_, payload, _, _, ok := splitJWT(token)
	var claimed struct {
		Issuer string `json:"iss"`
	}
	if !ok || json.Unmarshal(payload, &claimed) != nil || claimed.Issuer != o.config.Issuer {
		return nil, nil
	}
	good := intersect(asked, o.config.Audiences)
	if len(good) == 0 {
		return nil, nil
	}
	verifier, err := o.provider()
	if err != nil {
		return nil, err
	}
	verified, err := verifier.Verify(oidc.ClientContext(ctx, o.client), token)
	if err != nil {
		return nil, fmt.Errorf("auth: OIDC token: %w", err)
	}
	var claims map[string]any
	if err := verified.Claims(&claims); err != nil {
		return nil, fmt.Errorf("auth: OIDC token: %w", err)
	}
	user, err := o.user(claims)
	if err != nil {
		return nil, fmt.Errorf("auth: OIDC token: %w", err)
	}
	return &Token{User: user, Audiences: good}, nil
}

// provider asks the provider about itself, once.
func (o *OIDC) provider() (*oidc.IDTokenVerifier, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.verifier != nil {
		return o.verifier, nil
	}
	if o.failed != nil && time.Since(o.failedAt) < oidcPause {
		return nil, o.failed
	}
	// The keys are fetched with this context for as long as the server runs: it is not that of a
	// request.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), o.client), o.config.Issuer)
	if err != nil {
		o.failed, o.failedAt = fmt.Errorf("auth: OIDC provider %s: %w", o.config.Issuer, err), time.Now()
		return nil, o.failed
	}
	algorithms := o.config.SigningAlgorithms
	if len(algorithms) == 0 {
		algorithms = []string{oidc.RS256}
	}
	o.verifier = provider.Verifier(&oidc.Config{ClientID: o.config.ClientID, SupportedSigningAlgs: algorithms})
	return o.verifier, nil
}

// user is whom verified claims name.
func (o *OIDC) user(claims map[string]any) (*User, error) {
	c := &o.config
	for _, name := range slices.Sorted(maps.Keys(c.RequiredClaims)) {
		if value, _ := claims[name].(string); value != c.RequiredClaims[name] {
			return nil, fmt.Errorf("its claim %q is not the required %q", name, c.RequiredClaims[name])
		}
	}
	name, _ := claims[c.UsernameClaim].(string)
	if name == "" {
		return nil, fmt.Errorf("it has no claim %q with the name of the user", c.UsernameClaim)
	}
	if verified, there := claims["email_verified"]; there && c.UsernameClaim == "email" && verified != true {
		return nil, errors.New("the provider has not verified its email")
	}
	user := &User{Name: c.usernamePrefix() + name}
	if c.GroupsClaim == "" {
		return user, nil
	}
	switch groups := claims[c.GroupsClaim].(type) {
	case nil:
	case string:
		user.Groups = []string{c.GroupsPrefix + groups}
	case []any:
		for _, group := range groups {
			text, ok := group.(string)
			if !ok {
				return nil, fmt.Errorf("its claim %q has something that is no string", c.GroupsClaim)
			}
			user.Groups = append(user.Groups, c.GroupsPrefix+text)
		}
	default:
		return nil, fmt.Errorf("its claim %q is neither a string nor a list of them", c.GroupsClaim)
	}
	return user, nil
}

func (c *OIDCConfig) usernamePrefix() string {
	switch {
	case c.UsernamePrefix == "-" || c.UsernamePrefix == "" && c.UsernameClaim == "email":
		return ""
	case c.UsernamePrefix == "":
		return strings.TrimSuffix(c.Issuer, "#") + "#"
	}
	return c.UsernamePrefix
}
