package encryption

import (
	"crypto/rand"

	"golang.org/x/crypto/nacl/secretbox"
)

const secretboxNonce = 24

// salsa is NaCl's secretbox (XSalsa20 and Poly1305) with a random nonce: nonce (24 bytes), tag,
// ciphertext. The value is authenticated, the path is not.
type salsa struct{ key [32]byte }

func newSecretbox(key []byte) salsa {
	var s salsa
	copy(s.key[:], key)
	return s
}

func (s salsa) seal(dst []byte, _ string, plain []byte) ([]byte, error) {
	var nonce [secretboxNonce]byte
	rand.Read(nonce[:]) // never fails: it ends the process instead
	out := make([]byte, 0, len(dst)+secretboxNonce+secretbox.Overhead+len(plain))
	out = append(append(out, dst...), nonce[:]...)
	return secretbox.Seal(out, plain, &nonce, &s.key), nil
}

func (s salsa) open(_ string, sealed []byte) ([]byte, bool, error) {
	if len(sealed) < secretboxNonce+secretbox.Overhead {
		return nil, false, errShort
	}
	plain, ok := secretbox.Open(nil, sealed[secretboxNonce:], (*[secretboxNonce]byte)(sealed), &s.key)
	if !ok {
		return nil, false, errPadding
	}
	return plain, false, nil
}

func (salsa) bound() bool { return false }
