package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// jwtAlgorithms are the signatures that service account tokens may have, with their hashes. "none"
// and shared secrets are not among them.
var jwtAlgorithms = map[string]crypto.Hash{
	"RS256": crypto.SHA256, "RS384": crypto.SHA384, "RS512": crypto.SHA512,
	"ES256": crypto.SHA256, "ES384": crypto.SHA384, "ES512": crypto.SHA512,
}

// curveAlgorithms are what keys of a curve sign with, by its size in bits.
var curveAlgorithms = map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}

// jwtHeader is the first part of a token.
type jwtHeader struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid,omitempty"`
}

// splitJWT takes a token apart. ok is false for what is no signed JWT at all.
func splitJWT(token string) (header jwtHeader, payload, signature []byte, signed string, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return header, nil, nil, "", false
	}
	head, err1 := base64.RawURLEncoding.DecodeString(parts[0])
	payload, err2 := base64.RawURLEncoding.DecodeString(parts[1])
	signature, err3 := base64.RawURLEncoding.DecodeString(parts[2])
	if errors.Join(err1, err2, err3) != nil || json.Unmarshal(head, &header) != nil {
		return header, nil, nil, "", false
	}
	return header, payload, signature, parts[0] + "." + parts[1], true
}

// verifyJWT says whether the signature over signed is one of key, made as the header says.
func verifyJWT(key crypto.PublicKey, algorithm, signed string, signature []byte) bool {
	hash, known := jwtAlgorithms[algorithm]
	if !known {
		return false
	}
	h := hash.New()
	h.Write([]byte(signed))
	digest := h.Sum(nil)
	switch key := key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") && rsa.VerifyPKCS1v15(key, hash, digest, signature) == nil
	case *ecdsa.PublicKey:
		size := (key.Curve.Params().BitSize + 7) / 8
		if curveAlgorithms[key.Curve.Params().BitSize] != algorithm || len(signature) != 2*size {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:])
		return ecdsa.Verify(key, digest, r, s)
	}
	return false
}

// signJWT makes a token of claims, which is JSON.
func signJWT(key crypto.Signer, keyID string, claims []byte) (string, error) {
	header := jwtHeader{KeyID: keyID, Algorithm: "RS256"}
	if ec, ok := key.(*ecdsa.PrivateKey); ok {
		header.Algorithm = curveAlgorithms[ec.Curve.Params().BitSize]
	}
	head, err := json.Marshal(header)
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	hash := jwtAlgorithms[header.Algorithm]
	h := hash.New()
	h.Write([]byte(signed))
	signature, err := signDigest(key, hash, h.Sum(nil))
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func signDigest(key crypto.Signer, hash crypto.Hash, digest []byte) ([]byte, error) {
	ec, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return key.Sign(rand.Reader, digest, hash)
	}
	r, s, err := ecdsa.Sign(rand.Reader, ec, digest)
	if err != nil {
		return nil, err
	}
	size := (ec.Curve.Params().BitSize + 7) / 8
	signature := make([]byte, 2*size)
	r.FillBytes(signature[:size])
	s.FillBytes(signature[size:])
	return signature, nil
}

// keyID names a public key by its hash, as Kubernetes does.
func keyID(key crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(der)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// ParsePublicKeys reads all RSA and ECDSA keys of a PEM file: public ones, those of certificates,
// and of private keys their public part.
func ParsePublicKeys(data []byte) ([]crypto.PublicKey, error) {
	var keys []crypto.PublicKey
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if signer, err := parseSigner(block); err == nil {
			keys = append(keys, signer.Public())
			continue
		}
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			keys = append(keys, cert.PublicKey)
			continue
		}
		if key, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			keys = append(keys, key)
			continue
		}
		if key, err := x509.ParsePKCS1PublicKey(block.Bytes); err == nil {
			keys = append(keys, key)
		}
	}
	keys = slices.DeleteFunc(keys, func(key crypto.PublicKey) bool { return !goodForJWT(key) })
	if len(keys) == 0 {
		return nil, errors.New("there is no RSA or ECDSA key in it, in PEM")
	}
	return keys, nil
}

// ParsePrivateKey reads the first RSA or ECDSA private key of a PEM file.
func ParsePrivateKey(data []byte) (crypto.Signer, error) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if signer, err := parseSigner(block); err == nil && goodForJWT(signer.Public()) {
			return signer, nil
		}
	}
	return nil, errors.New("there is no RSA or ECDSA private key in it, in PEM")
}

func parseSigner(block *pem.Block) (crypto.Signer, error) {
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a %T signs nothing", key)
	}
	return signer, nil
}

func goodForJWT(key crypto.PublicKey) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return key.Size() >= 256
	case *ecdsa.PublicKey:
		return curveAlgorithms[key.Curve.Params().BitSize] != ""
	}
	return false
}
