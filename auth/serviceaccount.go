package auth

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The names that service accounts have as users.
const (
	serviceAccountPrefix = "system:serviceaccount:"
	// GroupServiceAccounts is the group of all service accounts.
	GroupServiceAccounts = "system:serviceaccounts"
)

// ServiceAccountName is the user that a service account is.
func ServiceAccountName(namespace, name string) string {
	return serviceAccountPrefix + namespace + ":" + name
}

// ServiceAccountGroups are the groups of every service account in a namespace.
func ServiceAccountGroups(namespace string) []string {
	return []string{GroupServiceAccounts, GroupServiceAccounts + ":" + namespace}
}

// SplitServiceAccount is the inverse of ServiceAccountName. ok is false for the name of another
// user.
func SplitServiceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, serviceAccountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(rest, ":")
	return namespace, name, ok && namespace != "" && name != "" && !strings.Contains(name, ":")
}

// Claims are what a token of a service account says. Times are seconds since 1970.
type Claims struct {
	Issuer     string         `json:"iss,omitempty"`
	Subject    string         `json:"sub,omitempty"`
	Audiences  audiences      `json:"aud,omitempty"`
	Expiry     int64          `json:"exp,omitempty"`
	NotBefore  int64          `json:"nbf,omitempty"`
	IssuedAt   int64          `json:"iat,omitempty"`
	ID         string         `json:"jti,omitempty"`
	Kubernetes KubernetesPart `json:"kubernetes.io"`
}

// KubernetesPart names the service account, and the object that the token lives and dies with.
type KubernetesPart struct {
	Namespace      string    `json:"namespace,omitempty"`
	ServiceAccount ObjectRef `json:"serviceaccount"`
	// At most one of Pod, Secret and Node is what the token is bound to; beside a Pod, Node says
	// where it runs.
	Pod    *ObjectRef `json:"pod,omitempty"`
	Secret *ObjectRef `json:"secret,omitempty"`
	Node   *ObjectRef `json:"node,omitempty"`
}

// ObjectRef is an object of a certain uid.
type ObjectRef struct {
	Name string `json:"name,omitempty"`
	UID  string `json:"uid,omitempty"`
}

// audiences are one string or a list of them.
type audiences []string

func (a *audiences) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audiences{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}

// LookupObject returns the uid of an object of the core group's v1, "" if there is no such object.
// deletion is its deletionTimestamp, the zero time if it is not being deleted.
type LookupObject func(ctx context.Context, resource, namespace, name string) (uid string, deletion time.Time, err error)

// ServiceAccountsConfig says whose tokens are good.
type ServiceAccountsConfig struct {
	// Issuers are the values of iss that are ours; the first one is that of new tokens.
	Issuers []string
	// Keys verify signatures.
	Keys []crypto.PublicKey
	// Audiences are what a token has that names none.
	Audiences []string
	// Lookup finds the objects that a token depends on, because it ends with them. With a nil
	// Lookup only the token itself is checked.
	Lookup LookupObject
}

// ServiceAccounts knows the tokens of service accounts: JWTs that were signed with a key of the
// server. It is safe for concurrent use.
type ServiceAccounts struct {
	config ServiceAccountsConfig
	keys   map[string]crypto.PublicKey // by key id
	now    func() time.Time
	signed signed
}

var _ TokenAuthenticator = (*ServiceAccounts)(nil)

// NewServiceAccounts keeps the config, which must not be modified any more.
func NewServiceAccounts(config ServiceAccountsConfig) (*ServiceAccounts, error) {
	s := &ServiceAccounts{config: config, keys: map[string]crypto.PublicKey{}, now: time.Now}
	for _, key := range config.Keys {
		id, err := keyID(key)
		if err != nil {
			return nil, fmt.Errorf("auth: service account key: %w", err)
		}
		s.keys[id] = key
	}
	return s, nil
}

// AuthenticateToken leaves tokens of other issuers to others.
func (s *ServiceAccounts) AuthenticateToken(ctx context.Context, token string, asked []string) (*Token, error) {
	claims, err := s.claims(token)
	if claims == nil {
		return nil, err
	}
	if err := s.checkTimes(claims); err != nil {
		return nil, err
	}
	have := []string(claims.Audiences)
	if len(have) == 0 {
		have = s.config.Audiences
	}
	good := intersect(asked, have)
	if len(good) == 0 {
		return nil, fmt.Errorf("auth: service account token: it is meant for %q, not for %q", have, asked)
	}
	if err := s.checkObjects(ctx, claims); err != nil {
		return nil, err
	}
	return &Token{User: claims.user(), Audiences: good}, nil
}

// claims are what a token says that is signed by us, nil and no error for one of another issuer.
func (s *ServiceAccounts) claims(token string) (*Claims, error) {
	sum := sha256.Sum256([]byte(token))
	if known := s.signed.find(sum); known != nil {
		return known, nil
	}
	header, payload, signature, content, ok := splitJWT(token)
	if !ok {
		return nil, nil
	}
	claims := new(Claims)
	if json.Unmarshal(payload, claims) != nil || !slices.Contains(s.config.Issuers, claims.Issuer) {
		return nil, nil
	}
	if !s.signedByUs(header, content, signature) {
		return nil, errors.New("auth: service account token: no key of this server has signed it")
	}
	s.signed.add(sum, claims)
	return claims, nil
}

func (s *ServiceAccounts) signedByUs(header jwtHeader, content string, signature []byte) bool {
	if key, named := s.keys[header.KeyID]; named {
		return verifyJWT(key, header.Algorithm, content, signature)
	}
	for _, key := range s.keys {
		if verifyJWT(key, header.Algorithm, content, signature) {
			return true
		}
	}
	return false
}

// tokenSkew is the tolerance for differences between clocks, as with kube-apiserver. A token is
// good that much before its nbf, and that much after the deletionTimestamp of an object it depends
// on.
const tokenSkew = time.Minute

func (s *ServiceAccounts) checkTimes(c *Claims) error {
	now := s.now().Unix()
	switch {
	case c.Expiry == 0:
		return errors.New("auth: service account token: it says no end (exp)")
	case now >= c.Expiry:
		return errors.New("auth: service account token: it has expired")
	case now+int64(tokenSkew.Seconds()) < c.NotBefore:
		return errors.New("auth: service account token: it is not good yet")
	}
	return nil
}

// checkObjects returns an error unless every object that the token depends on exists and has the
// uid in the token. An object that is being deleted counts until tokenSkew after its
// deletionTimestamp, because a pod has work to do in its grace period.
func (s *ServiceAccounts) checkObjects(ctx context.Context, c *Claims) error {
	k := &c.Kubernetes
	if k.Namespace == "" || k.ServiceAccount.Name == "" || c.Subject != ServiceAccountName(k.Namespace, k.ServiceAccount.Name) {
		return fmt.Errorf("auth: service account token: its subject %q is not the service account that it names", c.Subject)
	}
	if s.config.Lookup == nil {
		return nil
	}
	node := k.Node
	if k.Pod != nil {
		node = nil // it is only the place where the pod runs
	}
	return errors.Join(
		s.checkObject(ctx, "serviceaccounts", k.Namespace, &k.ServiceAccount),
		s.checkObject(ctx, "pods", k.Namespace, k.Pod),
		s.checkObject(ctx, "secrets", k.Namespace, k.Secret),
		s.checkObject(ctx, "nodes", "", node),
	)
}

func (s *ServiceAccounts) checkObject(ctx context.Context, resource, namespace string, ref *ObjectRef) error {
	if ref == nil {
		return nil
	}
	uid, deletion, err := s.config.Lookup(ctx, resource, namespace, ref.Name)
	switch {
	case err != nil:
		return fmt.Errorf("auth: service account token: look up %s %q: %w", resource, ref.Name, err)
	case uid == "":
		return fmt.Errorf("auth: service account token: %s %q of the token does not exist", resource, ref.Name)
	case uid != ref.UID:
		return fmt.Errorf("auth: service account token: %s %q has the uid %s, the token has %s", resource, ref.Name, uid, ref.UID)
	case !deletion.IsZero() && deletion.Before(s.now().Add(-tokenSkew)):
		return fmt.Errorf("auth: service account token: %s %q has the deletionTimestamp %s, more than %s ago", resource, ref.Name, deletion.UTC().Format(time.RFC3339), tokenSkew)
	}
	return nil
}

func (c *Claims) user() *User {
	k := &c.Kubernetes
	u := &User{Name: c.Subject, UID: k.ServiceAccount.UID, Groups: ServiceAccountGroups(k.Namespace), Extra: map[string][]string{}}
	add := func(key, value string) {
		if value != "" {
			u.Extra["authentication.kubernetes.io/"+key] = []string{value}
		}
	}
	if c.ID != "" {
		add("credential-id", "JTI="+c.ID)
	}
	if k.Pod != nil {
		add("pod-name", k.Pod.Name)
		add("pod-uid", k.Pod.UID)
	}
	if k.Node != nil {
		add("node-name", k.Node.Name)
		add("node-uid", k.Node.UID)
	}
	return u
}

// TokenSigner makes tokens for service accounts. It is safe for concurrent use.
type TokenSigner struct {
	issuer string
	key    crypto.Signer
	keyID  string
	now    func() time.Time
}

// NewTokenSigner makes tokens of an issuer.
func NewTokenSigner(issuer string, key crypto.Signer) (*TokenSigner, error) {
	id, err := keyID(key.Public())
	if err != nil {
		return nil, fmt.Errorf("auth: service account signing key: %w", err)
	}
	return &TokenSigner{issuer: issuer, key: key, keyID: id, now: time.Now}, nil
}

// Sign returns a token for a service account, and when it ends. bound may be the zero value except
// for the service account.
func (s *TokenSigner) Sign(part KubernetesPart, audiences []string, lifetime time.Duration) (token string, end time.Time, err error) {
	now := s.now().Truncate(time.Second)
	end = now.Add(lifetime)
	claims, err := json.Marshal(Claims{
		Issuer:    s.issuer,
		Subject:   ServiceAccountName(part.Namespace, part.ServiceAccount.Name),
		Audiences: audiences,
		Expiry:    end.Unix(), NotBefore: now.Unix(), IssuedAt: now.Unix(),
		ID:         uuid.NewString(),
		Kubernetes: part,
	})
	if err != nil {
		return "", end, err
	}
	token, err = signJWT(s.key, s.keyID, claims)
	return token, end, err
}
