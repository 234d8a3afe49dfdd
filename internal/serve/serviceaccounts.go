package serve

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
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// serviceAccounts is what makes and knows tokens of service accounts.
type serviceAccounts struct {
	known  *auth.ServiceAccounts
	signer *auth.TokenSigner
	issuer *auth.IssuerDocuments // nil: others can't check our tokens
	key    string                // the fingerprint of the signer's key
}

// openServiceAccounts reads the keys of tokens, and looks up in s whose tokens are good.
func (p *plan) openServiceAccounts(door *door, s *stores) (*serviceAccounts, error) {
	o := &p.options.Authentication
	key, err := p.openSigningKey(door)
	if err != nil {
		return nil, err
	}
	signer, err := auth.NewTokenSigner(o.ServiceAccountIssuers[0], key)
	if err != nil {
		return nil, err
	}
	more, err := readPublicKeys(o.ServiceAccountKeyFiles)
	if err != nil {
		return nil, err
	}
	keys := append([]crypto.PublicKey{key.Public()}, more...)
	issuer, err := describeIssuer(o, door, keys)
	if err != nil {
		return nil, err
	}
	config := auth.ServiceAccountsConfig{Issuers: o.ServiceAccountIssuers, Keys: keys, Audiences: program.Audiences(o)}
	if o.ServiceAccountLookup && p.serves("serviceaccounts") {
		config.Lookup = s.lookupObject
	}
	known, err := auth.NewServiceAccounts(config)
	if err != nil {
		return nil, err
	}
	name, err := publicFingerprint(key.Public())
	return &serviceAccounts{known, signer, issuer, name}, err
}

// readPublicKeys reads the keys that verify tokens beside that of the signing key.
func readPublicKeys(files []string) (keys []crypto.PublicKey, err error) {
	for _, name := range files {
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
	return keys, nil
}

// describeIssuer makes what others check the tokens by. Without an issuer that can be asked there
// is nothing to tell.
func describeIssuer(o *program.AuthenticationOptions, door *door, keys []crypto.PublicKey) (*auth.IssuerDocuments, error) {
	issuer, keysURL := o.ServiceAccountIssuers[0], o.ServiceAccountJWKSURI
	if !strings.HasPrefix(issuer, "https://") {
		return nil, nil
	}
	if keysURL == "" {
		keysURL = door.url() + auth.IssuerKeysPath
	}
	return auth.NewIssuerDocuments(issuer, keysURL, keys)
}

// documents are at the paths of an OpenID provider.
func (s *serviceAccounts) documents() []server.Document {
	if s.issuer == nil {
		return nil
	}
	return []server.Document{
		{Path: auth.IssuerConfigPath, ContentType: "application/json", Body: s.issuer.Config},
		{Path: auth.IssuerKeysPath, ContentType: "application/jwk-set+json", Body: s.issuer.Keys},
	}
}

// openSigningKey reads the key that the operator names, or the one in the data directory, which the
// first start makes.
func (p *plan) openSigningKey(door *door) (crypto.Signer, error) {
	name := p.options.Authentication.ServiceAccountSigningKeyFile
	if name == "" {
		return p.openOwnSigningKey(door)
	}
	key, err := readSigningKey(name)
	if err != nil {
		return nil, fmt.Errorf("--service-account-signing-key-file: %w", err)
	}
	return key, nil
}

// openOwnSigningKey reads the key in the data directory, and says so if one is made beside an
// authority that is older.
func (p *plan) openOwnSigningKey(door *door) (crypto.Signer, error) {
	name := filepath.Join(p.pki(), tokenKeyFile)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !door.authority.made {
		p.log.Warn("there was no key that signs tokens of service accounts: a new one was made, and tokens that another has signed are no good", "file", name)
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

// lookupObject is an auth.LookupObject. It reads the cache, and the store only if the cache has no
// such object, because an object may have a token before the cache has the object.
func (s *stores) lookupObject(ctx context.Context, resource, namespace, name string) (uid string, deletion time.Time, err error) {
	at := slices.IndexFunc(s.resources, func(r rest.Resource) bool {
		return r.GroupVersion.Group == "" && r.GroupVersion.Version == "v1" && r.Name == resource && r.Subresource == "" && r.Get != nil
	})
	if at < 0 {
		return "", deletion, nil
	}
	get := s.resources[at].Get
	view, err := get.Get(ctx, rest.Name{Namespace: namespace, Name: name}, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) {
		view, err = get.Get(ctx, rest.Name{Namespace: namespace, Name: name}, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) {
		return "", deletion, nil
	}
	if err != nil {
		return "", deletion, err
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.Protobuf}); err != nil {
		return "", deletion, err
	}
	meta, err := wire.ReadMeta(b.Bytes())
	if meta.Deleting {
		deletion = time.Unix(meta.DeletionSeconds, 0)
	}
	return meta.UID, deletion, err
}
