package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
)

// Where others find out how to check the tokens of service accounts: paths of the server, and below
// the URL of the issuer.
const (
	IssuerConfigPath = "/.well-known/openid-configuration"
	IssuerKeysPath   = "/openid/v1/jwks"
)

// IssuerDocuments are what an OpenID provider tells of itself, as far as it is about checking
// tokens. The fields are JSON.
type IssuerDocuments struct {
	Config, Keys []byte
}

// NewIssuerDocuments describes an issuer whose tokens are signed by one of keys. keysURL is where
// the document of the keys is to be had, by https. An issuer that is no https URL is refused:
// nobody could ask it.
func NewIssuerDocuments(issuer, keysURL string, keys []crypto.PublicKey) (*IssuerDocuments, error) {
	for what, address := range map[string]string{"issuer": issuer, "address of the keys": keysURL} {
		if u, err := url.Parse(address); err != nil || u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("auth: issuer documents: the %s %q is no https URL", what, address)
		}
	}
	var set struct {
		Keys []jsonWebKey `json:"keys"`
	}
	var algorithms []string
	for _, key := range keys {
		k, err := newJSONWebKey(key)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(set.Keys, func(other jsonWebKey) bool { return other.KeyID == k.KeyID }) {
			continue
		}
		set.Keys = append(set.Keys, k)
		if !slices.Contains(algorithms, k.Algorithm) {
			algorithms = append(algorithms, k.Algorithm)
		}
	}
	slices.Sort(algorithms)
	config, err := json.Marshal(map[string]any{
		"issuer":                                issuer,
		"jwks_uri":                              keysURL,
		"response_types_supported":              []string{"id_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": algorithms,
	})
	if err != nil {
		return nil, err
	}
	keySet, err := json.Marshal(set)
	return &IssuerDocuments{Config: config, Keys: keySet}, err
}

// jsonWebKey is a public key in the form of RFC 7517. N and E are of RSA keys, the curve and the
// point of the others.
type jsonWebKey struct {
	Use       string `json:"use"`
	KeyType   string `json:"kty"`
	KeyID     string `json:"kid"`
	Curve     string `json:"crv,omitempty"`
	Algorithm string `json:"alg"`
	X         string `json:"x,omitempty"`
	Y         string `json:"y,omitempty"`
	N         string `json:"n,omitempty"`
	E         string `json:"e,omitempty"`
}

func newJSONWebKey(key crypto.PublicKey) (jsonWebKey, error) {
	id, err := keyID(key)
	if err != nil {
		return jsonWebKey{}, fmt.Errorf("auth: issuer documents: %w", err)
	}
	k := jsonWebKey{Use: "sig", KeyID: id}
	switch key := key.(type) {
	case *rsa.PublicKey:
		k.KeyType, k.Algorithm = "RSA", "RS256"
		k.N, k.E = base64.RawURLEncoding.EncodeToString(key.N.Bytes()), base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes())
		return k, nil
	case *ecdsa.PublicKey:
		point, err := key.Bytes() // a byte for the form, and both coordinates in full length
		if err != nil {
			return k, fmt.Errorf("auth: issuer documents: %w", err)
		}
		half := len(point) / 2
		k.KeyType, k.Curve, k.Algorithm = "EC", key.Params().Name, curveAlgorithms[key.Params().BitSize]
		k.X, k.Y = base64.RawURLEncoding.EncodeToString(point[1:1+half]), base64.RawURLEncoding.EncodeToString(point[1+half:])
		return k, nil
	}
	return k, fmt.Errorf("auth: issuer documents: a %T is no key of tokens", key)
}
