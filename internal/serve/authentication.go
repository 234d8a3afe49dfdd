package serve

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// identity is how the server knows its users.
type identity struct {
	authenticator auth.Authenticator
	tokens        auth.TokenAuthenticator
	signer        *auth.TokenSigner
	issuer        *auth.IssuerDocuments // nil: others can't check our tokens
	revocations   auth.Revocations
}

// openIdentity joins the authenticators in the order of kube-apiserver.
func (i *Instance) openIdentity(context.Context) error {
	o := &i.options.Authentication
	union := slices.Clone(i.delegation.trusted)
	if o.RequestHeaderCAFile != "" {
		proxy, err := openFrontProxy(o, i.log)
		if err != nil {
			return err
		}
		union = append(union, proxy)
	}
	clients, err := i.openClients(o)
	if err != nil {
		return err
	}
	tokens, err := i.openTokens(o)
	if err != nil {
		return err
	}
	tokens = append(tokens, i.delegation.tokens...)
	i.identity.tokens = tokens
	if union = append(union, clients); i.program.Authenticator != nil {
		union = append(union, i.program.Authenticator)
	}
	union = append(union, auth.Bearer{Tokens: tokens, Audiences: program.Audiences(o)})
	i.identity.authenticator = i.identity.revocations.Over(union)
	if o.Anonymous {
		i.identity.authenticator = auth.OrAnonymous{Authenticator: i.identity.authenticator}
	}
	return nil
}

func openFrontProxy(o *program.AuthenticationOptions, log *slog.Logger) (auth.Authenticator, error) {
	f, err := openFresh("authority of front proxies", []string{o.RequestHeaderCAFile}, log, func(contents ...[]byte) (auth.Authenticator, error) {
		return auth.NewFrontProxy(auth.FrontProxyConfig{
			CA: contents[0], AllowedNames: o.RequestHeaderAllowedNames,
			UsernameHeaders: o.RequestHeaderUsernameHeaders, UIDHeaders: o.RequestHeaderUIDHeaders,
			GroupHeaders: o.RequestHeaderGroupHeaders, ExtraPrefixes: o.RequestHeaderExtraPrefixes,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("--requestheader-client-ca-file=%s: %w", o.RequestHeaderCAFile, err)
	}
	return freshAuthenticator{f}, nil
}

func (i *Instance) openClients(o *program.AuthenticationOptions) (auth.Authenticator, error) {
	own := i.access.authority.certPEM
	if o.ClientCAFile == "" {
		return auth.NewClientCertificates(own)
	}
	f, err := openFresh("authority of clients", []string{o.ClientCAFile}, i.log, func(contents ...[]byte) (auth.Authenticator, error) {
		if _, err := auth.NewClientCertificates(contents[0]); err != nil {
			return nil, err
		}
		return auth.NewClientCertificates(slices.Concat(own, []byte("\n"), contents[0]))
	})
	if err != nil {
		return nil, fmt.Errorf("--client-ca-file=%s: %w", o.ClientCAFile, err)
	}
	return freshAuthenticator{f}, nil
}

// freshAuthenticator asks the authenticator of the moment.
type freshAuthenticator struct {
	*fresh[auth.Authenticator]
}

func (f freshAuthenticator) Authenticate(req *http.Request) (*auth.User, error) {
	return f.get().Authenticate(req)
}

// freshTokens are those of the moment.
type freshTokens struct {
	*fresh[auth.TokenAuthenticator]
}

func (f freshTokens) AuthenticateToken(ctx context.Context, token string, audiences []string) (*auth.Token, error) {
	return f.get().AuthenticateToken(ctx, token, audiences)
}

// openTokens joins what knows bearer tokens.
func (i *Instance) openTokens(o *program.AuthenticationOptions) (auth.Tokens, error) {
	var tokens auth.Tokens
	if o.TokenFile != "" {
		file, err := i.openTokenFile(o)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, file)
	}
	accounts, err := i.openServiceAccounts(o)
	if err != nil {
		return nil, err
	}
	tokens = append(tokens, accounts)
	oidc, err := openOIDC(&o.OIDC, program.Audiences(o))
	if err != nil || oidc == nil {
		return tokens, err
	}
	return append(tokens, oidc), nil
}

func (i *Instance) openTokenFile(o *program.AuthenticationOptions) (freshTokens, error) {
	f, err := openFresh("token file", []string{o.TokenFile}, i.log, func(contents ...[]byte) (auth.TokenAuthenticator, error) {
		return auth.ReadTokenFile(bytes.NewReader(contents[0]), program.Audiences(o))
	})
	if err != nil {
		return freshTokens{}, fmt.Errorf("--token-auth-file=%s: %w", o.TokenFile, err)
	}
	return freshTokens{f}, nil
}

func (i *Instance) openServiceAccounts(o *program.AuthenticationOptions) (*auth.ServiceAccounts, error) {
	key, err := i.openSigningKey(o.ServiceAccountSigningKeyFile)
	if err != nil {
		return nil, err
	}
	if i.identity.signer, err = auth.NewTokenSigner(o.ServiceAccountIssuers[0], key); err != nil {
		return nil, err
	}
	keys := []crypto.PublicKey{key.Public()}
	for _, name := range o.ServiceAccountKeyFiles {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--service-account-key-file: %w", err)
		}
		more, err := auth.ParsePublicKeys(data)
		if err != nil {
			return nil, fmt.Errorf("--service-account-key-file=%s: %w", name, err)
		}
		keys = append(keys, more...)
	}
	if err := i.describeIssuer(o, keys); err != nil {
		return nil, err
	}
	config := auth.ServiceAccountsConfig{Issuers: o.ServiceAccountIssuers, Keys: keys, Audiences: program.Audiences(o)}
	if o.ServiceAccountLookup && i.serves("serviceaccounts") {
		config.Lookup = i.lookupUID
	}
	return auth.NewServiceAccounts(config)
}

// describeIssuer makes what others check the tokens by. Without an issuer that can be asked there
// is nothing to tell.
func (i *Instance) describeIssuer(o *program.AuthenticationOptions, keys []crypto.PublicKey) (err error) {
	issuer, keysURL := o.ServiceAccountIssuers[0], o.ServiceAccountJWKSURI
	if !strings.HasPrefix(issuer, "https://") {
		return nil
	}
	if keysURL == "" {
		keysURL = i.URL() + auth.IssuerKeysPath
	}
	i.identity.issuer, err = auth.NewIssuerDocuments(issuer, keysURL, keys)
	return err
}

// issuerDocuments are at the paths of an OpenID provider.
func (i *Instance) issuerDocuments() []server.Document {
	issuer := i.identity.issuer
	if issuer == nil {
		return nil
	}
	return []server.Document{
		{Path: auth.IssuerConfigPath, ContentType: "application/json", Body: issuer.Config},
		{Path: auth.IssuerKeysPath, ContentType: "application/jwk-set+json", Body: issuer.Keys},
	}
}

// openSigningKey reads the key that the operator names, or the one in the data directory, which the
// first start makes.
func (i *Instance) openSigningKey(name string) (crypto.Signer, error) {
	if name == "" {
		return i.openOwnSigningKey()
	}
	key, err := readSigningKey(name)
	if err != nil {
		return nil, fmt.Errorf("--service-account-signing-key-file: %w", err)
	}
	return key, nil
}

// openOwnSigningKey reads the key in the data directory, and says so if one is made beside an
// authority that is older.
func (i *Instance) openOwnSigningKey() (crypto.Signer, error) {
	name := filepath.Join(i.options.Store.DataDir, "pki", "service-accounts.key")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !i.access.authority.made {
		i.log.Warn("there was no key that signs tokens of service accounts: a new one was made, and tokens that another has signed are no good", "file", name)
	}
	if err := makeKey(name); err != nil {
		return nil, err
	}
	key, err := readSigningKey(name)
	if err != nil {
		return nil, fmt.Errorf("service account key: %w; put it back from a copy, or remove it to get a new one (tokens of service accounts stop working)", err)
	}
	return key, nil
}

func readSigningKey(name string) (crypto.Signer, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	key, err := auth.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return key, nil
}

// serves says whether the core group's v1 has a resource.
func (i *Instance) serves(plural string) bool {
	return slices.ContainsFunc(i.known.Resources, func(r registry.Resource) bool {
		gr := r.GroupResource()
		return gr.Group == "" && gr.Resource == plural
	})
}

// lookupUID is an auth.LookupUID. It reads what is so at this moment only where the cache has
// nothing: an object that was made a moment ago has a token already.
func (i *Instance) lookupUID(ctx context.Context, resource, namespace, name string) (string, error) {
	at := slices.IndexFunc(i.resources, func(r rest.Resource) bool {
		return r.GroupVersion.Group == "" && r.GroupVersion.Version == "v1" && r.Name == resource && r.Subresource == "" && r.Get != nil
	})
	if at < 0 {
		return "", nil
	}
	get := i.resources[at].Get
	view, err := get.Get(ctx, rest.Name{Namespace: namespace, Name: name}, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) {
		view, err = get.Get(ctx, rest.Name{Namespace: namespace, Name: name}, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
		return "", err
	}
	meta, err := wire.ReadMeta(b.Bytes())
	if err != nil || meta.Deleting {
		return "", err
	}
	return meta.UID, nil
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
