package serve

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/program"
)

// identity is how the server knows its users.
type identity struct {
	*serviceAccounts
	authenticator auth.Authenticator
	tokens        auth.TokenAuthenticator
	revocations   *auth.Revocations
}

// openIdentity joins the authenticators in the order of kube-apiserver.
func (p *plan) openIdentity(door *door, d *delegation, s *stores) (*identity, error) {
	o := &p.options.Authentication
	union := slices.Clone(d.trusted)
	if o.RequestHeaderCAFile != "" {
		proxy, err := openFrontProxy(o, p.log)
		if err != nil {
			return nil, err
		}
		union = append(union, proxy)
	}
	clients, err := openClients(o, door.authority.certPEM, p.log)
	if err != nil {
		return nil, err
	}
	accounts, err := p.openServiceAccounts(door, s)
	if err != nil {
		return nil, err
	}
	tokens, err := openTokens(o, accounts, p.log)
	if err != nil {
		return nil, err
	}
	tokens = append(tokens, d.tokens...)
	if union = append(union, clients); p.program.Authenticator != nil {
		union = append(union, p.program.Authenticator)
	}
	union = append(union, auth.Bearer{Tokens: tokens, Audiences: program.Audiences(o)})
	revocations := new(auth.Revocations)
	for n, next := range union { // each by itself: who shows another credential, too, may be known by that
		union[n] = revocations.Over(next)
	}
	id := &identity{serviceAccounts: accounts, authenticator: union, tokens: tokens, revocations: revocations}
	if o.Anonymous {
		id.authenticator = auth.OrAnonymous{Authenticator: union}
	}
	return id, nil
}

func openFrontProxy(o *program.AuthenticationOptions, log *slog.Logger) (auth.Authenticator, error) {
	f, err := openReloaded("authority of front proxies", []string{o.RequestHeaderCAFile}, log, func(contents ...[]byte) (auth.Authenticator, error) {
		return auth.NewFrontProxy(auth.FrontProxyConfig{
			CA: contents[0], AllowedNames: o.RequestHeaderAllowedNames,
			UsernameHeaders: o.RequestHeaderUsernameHeaders, UIDHeaders: o.RequestHeaderUIDHeaders,
			GroupHeaders: o.RequestHeaderGroupHeaders, ExtraPrefixes: o.RequestHeaderExtraPrefixes,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("--requestheader-client-ca-file=%s: %w", o.RequestHeaderCAFile, err)
	}
	return reloadedAuthenticator{f}, nil
}

// openClients returns what knows client certificates: those that the server's own authority has
// signed, and those of the operator's.
func openClients(o *program.AuthenticationOptions, own []byte, log *slog.Logger) (auth.Authenticator, error) {
	if o.ClientCAFile == "" {
		return auth.NewClientCertificates(own)
	}
	f, err := openReloaded("authority of clients", []string{o.ClientCAFile}, log, func(contents ...[]byte) (auth.Authenticator, error) {
		if _, err := auth.NewClientCertificates(contents[0]); err != nil {
			return nil, err
		}
		return auth.NewClientCertificates(slices.Concat(own, []byte("\n"), contents[0]))
	})
	if err != nil {
		return nil, fmt.Errorf("--client-ca-file=%s: %w", o.ClientCAFile, err)
	}
	return reloadedAuthenticator{f}, nil
}

// reloadedAuthenticator asks the authenticator of the moment.
type reloadedAuthenticator struct {
	*reloaded[auth.Authenticator]
}

func (f reloadedAuthenticator) Authenticate(req *http.Request) (*auth.User, error) {
	return f.get().Authenticate(req)
}

// reloadedTokens are those of the moment.
type reloadedTokens struct {
	*reloaded[auth.TokenAuthenticator]
}

func (f reloadedTokens) AuthenticateToken(ctx context.Context, token string, audiences []string) (*auth.Token, error) {
	return f.get().AuthenticateToken(ctx, token, audiences)
}

// openTokens joins what knows bearer tokens.
func openTokens(o *program.AuthenticationOptions, accounts *serviceAccounts, log *slog.Logger) (auth.Tokens, error) {
	var tokens auth.Tokens
	if o.TokenFile != "" {
		file, err := openTokenFile(o, log)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, file)
	}
	tokens = append(tokens, accounts.known)
	oidc, err := openOIDC(&o.OIDC, program.Audiences(o))
	if err != nil || oidc == nil {
		return tokens, err
	}
	return append(tokens, oidc), nil
}

func openTokenFile(o *program.AuthenticationOptions, log *slog.Logger) (reloadedTokens, error) {
	f, err := openReloaded("token file", []string{o.TokenFile}, log, func(contents ...[]byte) (auth.TokenAuthenticator, error) {
		return auth.ReadTokenFile(bytes.NewReader(contents[0]), program.Audiences(o))
	})
	if err != nil {
		return reloadedTokens{}, fmt.Errorf("--token-auth-file=%s: %w", o.TokenFile, err)
	}
	return reloadedTokens{f}, nil
}

// openOIDC returns what knows the provider's tokens, nil if there is no provider.
func openOIDC(o *program.OIDCOptions, audiences []string) (*auth.OIDC, error) {
	if o.IssuerURL == "" {
		return nil, nil
	}
	config := auth.OIDCConfig{
		Issuer: o.IssuerURL, ClientID: o.ClientID,
		UsernameClaim: o.UsernameClaim, UsernamePrefix: o.UsernamePrefix, GroupsClaim: o.GroupsClaim, GroupsPrefix: o.GroupsPrefix,
		RequiredClaims: map[string]string{}, SigningAlgorithms: o.SigningAlgs, Audiences: audiences,
	}
	for _, item := range o.RequiredClaims {
		name, value, _ := strings.Cut(item, "=")
		config.RequiredClaims[name] = value
	}
	if o.CAFile != "" {
		var err error
		if config.CA, err = os.ReadFile(o.CAFile); err != nil {
			return nil, fmt.Errorf("--oidc-ca-file: %w", err)
		}
	}
	return auth.NewOIDC(config)
}
