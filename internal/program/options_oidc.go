package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// OIDCOptions says which tokens of an OpenID Connect provider are good. IssuerURL "" means that
// there is none.
type OIDCOptions struct {
	IssuerURL, ClientID, CAFile   string
	UsernameClaim, UsernamePrefix string
	GroupsClaim, GroupsPrefix     string
	// RequiredClaims are items like "hd=example.com".
	RequiredClaims []string
	SigningAlgs    []string
}

func newOIDCOptions() OIDCOptions {
	return OIDCOptions{UsernameClaim: "sub", SigningAlgs: []string{"RS256"}}
}

func (o *OIDCOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.IssuerURL, "oidc-issuer-url", o.IssuerURL, "`URL` of an OpenID Connect provider whose tokens are good; https only")
	fs.StringVar(&o.ClientID, "oidc-client-id", o.ClientID, "`audience` that such tokens must have")
	fs.StringVar(&o.CAFile, "oidc-ca-file", o.CAFile, "`file` with the authorities of the provider's certificate; without it those of the system")
	fs.StringVar(&o.UsernameClaim, "oidc-username-claim", o.UsernameClaim, "`claim` that names the user")
	fs.StringVar(&o.UsernamePrefix, "oidc-username-prefix", o.UsernamePrefix, "`text` before the user's name; - for none; without it the issuer and #, but for the claim email")
	fs.StringVar(&o.GroupsClaim, "oidc-groups-claim", o.GroupsClaim, "`claim` that names the user's groups")
	fs.StringVar(&o.GroupsPrefix, "oidc-groups-prefix", o.GroupsPrefix, "`text` before each group")
	fs.StringSliceVar(&o.RequiredClaims, "oidc-required-claim", o.RequiredClaims, "`claim=value` that must be in the token; may be repeated")
	fs.StringSliceVar(&o.SigningAlgs, "oidc-signing-algs", o.SigningAlgs, "comma-separated `algorithms` that tokens may be signed with")
}

// oidcAlgorithms are signatures by a private key. "none" and shared secrets are not among them.
var oidcAlgorithms = []string{"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA"}

func (o *OIDCOptions) validate() error {
	var errs []error
	if (o.IssuerURL == "") != (o.ClientID == "") {
		errs = append(errs, errors.New("--oidc-issuer-url and --oidc-client-id go together"))
	}
	if o.IssuerURL != "" && !strings.HasPrefix(o.IssuerURL, "https://") {
		errs = append(errs, fmt.Errorf("--oidc-issuer-url=%s: want a URL that begins with https://", o.IssuerURL))
	}
	if o.UsernameClaim == "" {
		errs = append(errs, errors.New("--oidc-username-claim: want the name of a claim, like sub"))
	}
	for _, item := range o.RequiredClaims {
		if name, _, ok := strings.Cut(item, "="); !ok || name == "" {
			errs = append(errs, fmt.Errorf("--oidc-required-claim=%s: want claim=value", item))
		}
	}
	for _, alg := range o.SigningAlgs {
		if !slices.Contains(oidcAlgorithms, alg) {
			errs = append(errs, fmt.Errorf("--oidc-signing-algs=%s: choose of %s", alg, strings.Join(oidcAlgorithms, ", ")))
		}
	}
	return errors.Join(errs...)
}
