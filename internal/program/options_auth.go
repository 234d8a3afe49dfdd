package program

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// AuthenticationOptions says whose credentials are good. The client certificates that the server's
// own authority signs always are.
type AuthenticationOptions struct {
	// ClientCAFile has authorities, in PEM, beside the server's own.
	ClientCAFile string
	// TokenFile has static tokens.
	TokenFile string
	// Anonymous lets in, as system:anonymous, who shows no credential.
	Anonymous bool
	// APIAudiences are the server's names for itself in tokens; none: the issuer of service account
	// tokens.
	APIAudiences []string

	// The front proxies that may say on whose behalf they send a request. RequestHeaderCAFile ""
	// means that there are none.
	RequestHeaderCAFile          string
	RequestHeaderAllowedNames    []string
	RequestHeaderUsernameHeaders []string
	RequestHeaderUIDHeaders      []string
	RequestHeaderGroupHeaders    []string
	RequestHeaderExtraPrefixes   []string

	// ServiceAccountIssuers are those whose tokens are good; the first one is that of new tokens.
	ServiceAccountIssuers []string
	// ServiceAccountKeyFiles have the keys that verify tokens; none: that of the signing key.
	ServiceAccountKeyFiles []string
	// ServiceAccountSigningKeyFile has the private key of new tokens; "": one in the data
	// directory.
	ServiceAccountSigningKeyFile string
	// ServiceAccountJWKSURI is where others get the keys that verify tokens, an https URL; "": from
	// this server.
	ServiceAccountJWKSURI string
	// RootCAFile has the authorities, in PEM, by which pods know the server; "": its own one,
	// unless it shows a certificate of the operator's.
	RootCAFile string
	// ServiceAccountLookup wants the objects of a token to be there still.
	ServiceAccountLookup bool

	OIDC OIDCOptions
}

func newAuthenticationOptions() AuthenticationOptions {
	return AuthenticationOptions{
		RequestHeaderUsernameHeaders: []string{"X-Remote-User"},
		RequestHeaderUIDHeaders:      []string{"X-Remote-Uid"},
		RequestHeaderGroupHeaders:    []string{"X-Remote-Group"},
		RequestHeaderExtraPrefixes:   []string{"X-Remote-Extra-"},
		ServiceAccountIssuers:        []string{"https://kubernetes.default.svc"},
		ServiceAccountLookup:         true,
		OIDC:                         newOIDCOptions(),
	}
}

func (o *AuthenticationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.ClientCAFile, "client-ca-file", o.ClientCAFile, "`file` with authorities whose client certificates are good, beside those of the server's own")
	fs.StringVar(&o.TokenFile, "token-auth-file", o.TokenFile, "`file` with a static token in each line: token,user,uid,\"group,group\"")
	fs.BoolVar(&o.Anonymous, "anonymous-auth", o.Anonymous, "take requests without a credential for those of system:anonymous; without it they get 401")
	fs.StringSliceVar(&o.APIAudiences, "api-audiences", o.APIAudiences, "comma-separated `names` of this server in tokens; without it the service account issuers")

	fs.StringVar(&o.RequestHeaderCAFile, "requestheader-client-ca-file", o.RequestHeaderCAFile, "`file` with the authorities of front proxies, which may say in headers on whose behalf they send a request")
	fs.StringSliceVar(&o.RequestHeaderAllowedNames, "requestheader-allowed-names", o.RequestHeaderAllowedNames, "comma-separated common `names` of the front proxies' certificates; without it any will do")
	fs.StringSliceVar(&o.RequestHeaderUsernameHeaders, "requestheader-username-headers", o.RequestHeaderUsernameHeaders, "comma-separated `headers` with the user's name, the first that is there counts")
	fs.StringSliceVar(&o.RequestHeaderUIDHeaders, "requestheader-uid-headers", o.RequestHeaderUIDHeaders, "comma-separated `headers` with the user's uid, the first that is there counts")
	fs.StringSliceVar(&o.RequestHeaderGroupHeaders, "requestheader-group-headers", o.RequestHeaderGroupHeaders, "comma-separated `headers` with the user's groups")
	fs.StringSliceVar(&o.RequestHeaderExtraPrefixes, "requestheader-extra-headers-prefix", o.RequestHeaderExtraPrefixes, "comma-separated `prefixes` of headers with what else is known of the user")

	fs.StringSliceVar(&o.ServiceAccountIssuers, "service-account-issuer", o.ServiceAccountIssuers, "`issuer` of service account tokens, a URL; of several the first one is that of new tokens")
	fs.StringArrayVar(&o.ServiceAccountKeyFiles, "service-account-key-file", o.ServiceAccountKeyFiles, "`file` with RSA or ECDSA keys that verify service account tokens; may be repeated; without it that of the signing key")
	fs.StringVar(&o.ServiceAccountSigningKeyFile, "service-account-signing-key-file", o.ServiceAccountSigningKeyFile, "`file` with the private key that signs service account tokens; without it one is made in the data directory")
	fs.StringVar(&o.ServiceAccountJWKSURI, "service-account-jwks-uri", o.ServiceAccountJWKSURI, "`URL` at which others get the keys that verify service account tokens, said in /.well-known/openid-configuration; without it the address of this server")
	fs.StringVar(&o.RootCAFile, "root-ca-file", o.RootCAFile, "`file` with the authorities by which pods know the server, published in each namespace as the ConfigMap kube-root-ca.crt; without it the server's own one, or none with --tls-cert-file")
	fs.BoolVar(&o.ServiceAccountLookup, "service-account-lookup", o.ServiceAccountLookup, "refuse the tokens of service accounts that are gone, where service accounts are served")
	o.OIDC.addFlags(fs)
}

func (o *AuthenticationOptions) validate() error {
	var errs []error
	if o.RequestHeaderCAFile == "" && len(o.RequestHeaderAllowedNames) > 0 {
		errs = append(errs, errors.New("--requestheader-allowed-names: nobody is a front proxy without --requestheader-client-ca-file"))
	}
	if len(o.RequestHeaderUsernameHeaders) == 0 || slices.Contains(o.RequestHeaderUsernameHeaders, "") {
		errs = append(errs, errors.New("--requestheader-username-headers: want the names of headers, like X-Remote-User"))
	}
	for flag, list := range map[string][]string{"uid-headers": o.RequestHeaderUIDHeaders, "group-headers": o.RequestHeaderGroupHeaders, "extra-headers-prefix": o.RequestHeaderExtraPrefixes} {
		if slices.Contains(list, "") {
			errs = append(errs, fmt.Errorf("--requestheader-%s: one of the names is empty", flag))
		}
	}
	if len(o.ServiceAccountIssuers) == 0 {
		errs = append(errs, errors.New("--service-account-issuer: want a URL"))
	}
	for _, issuer := range o.ServiceAccountIssuers {
		if _, err := url.Parse(issuer); issuer == "" || err != nil {
			errs = append(errs, fmt.Errorf("--service-account-issuer=%s: want a URL", issuer))
		}
	}
	if o.ServiceAccountJWKSURI != "" {
		if u, err := url.Parse(o.ServiceAccountJWKSURI); err != nil || u.Scheme != "https" || u.Host == "" {
			errs = append(errs, fmt.Errorf("--service-account-jwks-uri=%s: want a URL that begins with https://", o.ServiceAccountJWKSURI))
		}
	}
	return errors.Join(append(errs, o.OIDC.validate())...)
}

// Audiences are the names of the server in tokens.
func Audiences(o *AuthenticationOptions) []string {
	if len(o.APIAudiences) > 0 {
		return o.APIAudiences
	}
	return o.ServiceAccountIssuers
}

// AuthorizationOptions says who decides what users may do. Members of system:masters may do
// everything in every mode.
type AuthorizationOptions struct {
	// Modes are asked one after the other; none: RBAC where roles are served, and else nobody but
	// system:masters may do anything, and a webhook is asked last.
	Modes []string
}

// The modes of authorization.
const (
	ModeRBAC        = "RBAC"
	ModeWebhook     = "Webhook"
	ModeAlwaysAllow = "AlwaysAllow"
)

var authorizationModes = []string{ModeRBAC, ModeWebhook, ModeAlwaysAllow}

func (o *AuthorizationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.Modes, "authorization-mode", o.Modes, "comma-separated `modes`, asked one after the other: "+strings.Join(authorizationModes, ", ")+"; without it RBAC where roles are served; system:masters may do everything in any case")
}

func (o *AuthorizationOptions) validate() error {
	var errs []error
	for i, mode := range o.Modes {
		switch {
		case !slices.Contains(authorizationModes, mode):
			errs = append(errs, fmt.Errorf("--authorization-mode=%s: choose of %s", mode, strings.Join(authorizationModes, ", ")))
		case slices.Contains(o.Modes[:i], mode):
			errs = append(errs, fmt.Errorf("--authorization-mode: %s is there twice", mode))
		}
	}
	return errors.Join(errs...)
}
