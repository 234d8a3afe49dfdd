package encryption

import (
	"bytes"
	"crypto/aes"
	"errors"
)

// box encrypts values with one key. Its methods may be called from any goroutine; key is the full
// key in etcd, path is what Kubernetes authenticates a value with.
type box interface {
	// seal appends the encrypted form of plain to dst.
	seal(dst []byte, path string, plain []byte) ([]byte, error)
	// open returns what was sealed, in memory of its own unless the box changes nothing. stale says
	// that a write would use another key now.
	open(path string, sealed []byte) (plain []byte, stale bool, err error)
	// bound says that a value opens only at the path that it was sealed for.
	bound() bool
}

// The beginnings of stored values, as Kubernetes writes them. The name of a key or plug-in and a
// colon follow.
const (
	encryptedPrefix = "k8s:enc:"
	aesgcmPrefix    = encryptedPrefix + "aesgcm:v1:"
	aescbcPrefix    = encryptedPrefix + "aescbc:v1:"
	secretboxPrefix = encryptedPrefix + "secretbox:v1:"
	kmsPrefix       = encryptedPrefix + "kms:v2:"
)

// slot is a box and the prefix of the values that it may open. The prefix of plain values is "".
type slot struct {
	prefix string
	box    box
}

// slots makes the boxes of providers, in their order: each key is one. plugin returns the client of
// a KMS plug-in.
func slots(list []Provider, plugin func(KMS) *plugin) ([]slot, error) {
	var out []slot
	for _, p := range list {
		switch p.Type {
		case identityProvider:
			out = append(out, slot{"", identity{}})
			continue
		case kmsProvider:
			out = append(out, slot{kmsPrefix + p.KMS.Name + ":", plugin(p.KMS)})
			continue
		}
		for _, k := range p.Keys {
			s, err := keyed(p.Type, k)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func keyed(provider string, k Key) (slot, error) {
	switch provider {
	case aesgcmProvider:
		aead, err := newGCM(k.Secret)
		return slot{aesgcmPrefix + k.Name + ":", gcm{aead}}, err
	case aescbcProvider:
		block, err := aes.NewCipher(k.Secret)
		return slot{aescbcPrefix + k.Name + ":", cbc{block}}, err
	default:
		return slot{secretboxPrefix + k.Name + ":", newSecretbox(k.Secret)}, nil
	}
}

var (
	errEncrypted = errors.New("the value is encrypted")
	errShort     = errors.New("the encrypted value is cut off")
)

// identity keeps values as they are, and takes no encrypted one for plain.
type identity struct{}

func (identity) seal(dst []byte, _ string, plain []byte) ([]byte, error) {
	return append(dst, plain...), nil
}

func (identity) open(_ string, sealed []byte) ([]byte, bool, error) {
	if bytes.HasPrefix(sealed, []byte(encryptedPrefix)) {
		return nil, false, errEncrypted
	}
	return sealed, false, nil
}

// bound is true because there is nothing to be bound: whoever can move a plain value can write any
// other.
func (identity) bound() bool { return true }
