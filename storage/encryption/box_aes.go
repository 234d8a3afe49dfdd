package encryption

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
)

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

var errAuthentication = errors.New("the encrypted value was changed, moved from another key in etcd, or encrypted with another key")

// gcm is AES-GCM with a random nonce: nonce (12 bytes), ciphertext, tag. The path is authenticated.
type gcm struct{ aead cipher.AEAD }

func (g gcm) seal(dst []byte, path string, plain []byte) ([]byte, error) {
	n, size := len(dst), g.aead.NonceSize()
	out := make([]byte, n+size, n+size+len(plain)+g.aead.Overhead())
	copy(out, dst)
	rand.Read(out[n:]) // never fails: it ends the process instead
	return g.aead.Seal(out, out[n:], plain, []byte(path)), nil
}

func (g gcm) open(path string, sealed []byte) ([]byte, bool, error) {
	size := g.aead.NonceSize()
	if len(sealed) < size+g.aead.Overhead() {
		return nil, false, errShort
	}
	plain, err := g.aead.Open(nil, sealed[:size], sealed[size:], []byte(path))
	if err != nil {
		return nil, false, errAuthentication
	}
	return plain, false, nil
}

func (gcm) bound() bool { return true }

// cbc is AES-CBC with PKCS #7 padding: initialization vector (16 bytes), ciphertext. Nothing is
// authenticated.
type cbc struct{ block cipher.Block }

func (c cbc) seal(dst []byte, _ string, plain []byte) ([]byte, error) {
	n, size := len(dst), aes.BlockSize
	padding := size - len(plain)%size
	out := make([]byte, n+size+len(plain)+padding)
	copy(out, dst)
	iv, body := out[n:n+size], out[n+size:]
	rand.Read(iv) // never fails: it ends the process instead
	for i := copy(body, plain); i < len(body); i++ {
		body[i] = byte(padding)
	}
	cipher.NewCBCEncrypter(c.block, iv).CryptBlocks(body, body)
	return out, nil
}

var errPadding = errors.New("the encrypted value was changed, or encrypted with another key")

func (c cbc) open(_ string, sealed []byte) ([]byte, bool, error) {
	size := aes.BlockSize
	if len(sealed) < 2*size || len(sealed)%size != 0 {
		return nil, false, errShort
	}
	plain := make([]byte, len(sealed)-size)
	cipher.NewCBCDecrypter(c.block, sealed[:size]).CryptBlocks(plain, sealed[size:])
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > size {
		return nil, false, errPadding
	}
	rest := len(plain) - padding
	for _, b := range plain[rest:] {
		if int(b) != padding {
			return nil, false, errPadding
		}
	}
	return plain[:rest:rest], false, nil
}

func (cbc) bound() bool { return false }
