package boot

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/server"
	"github.com/typeplane/typeplane/server/auth"
)

// identity is how the server knows its users.
type identity struct {
	authenticator auth.Authenticator
	tokens        auth.TokenAuthenticator
	signer        *auth.TokenSigner
	issuer        *auth.IssuerDocuments // nil: others can't check our tokens
}

// openIdentity joins the authenticators in the order of kube-apiserver.
func (i *Instance) openIdentity(context.Context) error {
	o := &i.options.Authentication
	union := slices.Clone(i.delegation.trusted)
	if o.RequestHeaderCAFile != "" {
		proxy, err := openFrontProxy(o)
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
	union = append(union, clients, auth.Bearer{Tokens: tokens, Audiences: o.audiences()})
	if i.identity.authenticator = union; o.Anonymous {
		i.identity.authenticator = auth.OrAnonymous{Authenticator: union}
	}
	return nil
}

func openFrontProxy(o *AuthenticationOptions) (*auth.FrontProxy, error) {
	ca, err := os.ReadFile(o.RequestHeaderCAFile)
	if err != nil {
		return nil, fmt.Errorf("--requestheader-client-ca-file: %w", err)
	}
	proxy, err := auth.NewFrontProxy(auth.FrontProxyConfig{
		CA: ca, AllowedNames: o.RequestHeaderAllowedNames,
		UsernameHeaders: o.RequestHeaderUsernameHeaders, UIDHeaders: o.RequestHeaderUIDHeaders,
		GroupHeaders: o.RequestHeaderGroupHeaders, ExtraPrefixes: o.RequestHeaderExtraPrefixes,
	})
	if err != nil {
		return nil, fmt.Errorf("--requestheader-client-ca-file=%s: %w", o.RequestHeaderCAFile, err)
	}
	return proxy, nil
}

func (i *Instance) openClients(o *AuthenticationOptions) (*auth.ClientCertificates, error) {
	own := i.access.authority.certPEM
	if o.ClientCAFile == "" {
		return auth.NewClientCertificates(own)
	}
	more, err := os.ReadFile(o.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("--client-ca-file: %w", err)
	}
	if _, err := auth.NewClientCertificates(more); err != nil {
		return nil, fmt.Errorf("--client-ca-file=%s: %w", o.ClientCAFile, err)
	}
	return auth.NewClientCertificates(slices.Concat(own, []byte("\n"), more))
}

// openTokens joins what knows bearer tokens.
func (i *Instance) openTokens(o *AuthenticationOptions) (auth.Tokens, error) {
	var tokens auth.Tokens
	if o.TokenFile != "" {
		data, err := os.ReadFile(o.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("--token-auth-file: %w", err)
		}
		file, err := auth.ReadTokenFile(bytes.NewReader(data), o.audiences())
		if err != nil {
			return nil, fmt.Errorf("--token-auth-file=%s: %w", o.TokenFile, err)
		}
		tokens = append(tokens, file)
	}
	accounts, err := i.openServiceAccounts(o)
	if err != nil {
		return nil, err
	}
	tokens = append(tokens, accounts)
	oidc, err := o.OIDC.open(o.audiences())
	if err != nil || oidc == nil {
		return tokens, err
	}
	return append(tokens, oidc), nil
}

func (i *Instance) openServiceAccounts(o *AuthenticationOptions) (*auth.ServiceAccounts, error) {
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
	config := auth.ServiceAccountsConfig{Issuers: o.ServiceAccountIssuers, Keys: keys, Audiences: o.audiences()}
	if o.ServiceAccountLookup && i.serves("serviceaccounts") {
		config.Lookup = i.lookupUID
	}
	return auth.NewServiceAccounts(config)
}

// describeIssuer makes what others check the tokens by. Without an issuer that can be asked there is nothing to tell.
func (i *Instance) describeIssuer(o *AuthenticationOptions, keys []crypto.PublicKey) (err error) {
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

// openSigningKey reads the key that the operator names, or the one in the data directory, which the first start makes.
func (i *Instance) openSigningKey(name string) (crypto.Signer, error) {
	flag := "--service-account-signing-key-file"
	if name == "" {
		flag, name = "service account key", filepath.Join(i.options.Store.DataDir, "pki", "service-accounts.key")
		if err := makeKey(name); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	key, err := auth.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", flag, name, err)
	}
	return key, nil
}

// makeKey makes a key if there is none.
func makeKey(name string) error {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	return writeFile(name, keyPEM)
}

// serves says whether the core group's v1 has a resource.
func (i *Instance) serves(plural string) bool {
	return slices.ContainsFunc(i.known.resources, func(r registry.Resource) bool {
		gr := r.GroupResource()
		return gr.Group == "" && gr.Resource == plural
	})
}

// lookupUID is an auth.LookupUID. It reads what is so at this moment only where the cache has nothing: an object that was
// made a moment ago has a token already.
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
