package replicas

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	// minSecret is how many bytes a secret must have.
	minSecret = 16
	// iterations of PBKDF2 make guessing a secret expensive for whoever has a copy of the database.
	iterations = 600_000
	// maxIterations bound what a damaged value may cost.
	maxIterations = 10_000_000
)

// Secret is what every replica is given. It opens what they have in common.
type Secret struct {
	text string
}

// ReadSecret reads the secret in a file. White space around it does not count.
func ReadSecret(file string) (Secret, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Secret{}, err
	}
	text := strings.TrimSpace(string(data))
	if len(text) < minSecret {
		return Secret{}, fmt.Errorf("%s holds %d bytes, want %d at least; make a good one with: head -c 32 /dev/urandom | base64 > %[1]s", file, len(text), minSecret)
	}
	return Secret{text}, nil
}

// SecretError says that something was sealed with another secret, or was changed since.
type SecretError struct{}

func (SecretError) Error() string {
	return "the servers that started before on this database were given another secret: give this one theirs"
}

// sealed is how a value lies in the database.
type sealed struct {
	Iterations int    `json:"pbkdf2Iterations"`
	Salt       []byte `json:"salt"`
	// Value is the nonce and the ciphertext of AES-256 in GCM.
	Value []byte `json:"value"`
}

func (s Secret) seal(plain []byte) ([]byte, error) {
	box := sealed{Iterations: iterations, Salt: make([]byte, 16)}
	rand.Read(box.Salt) // never fails
	aead, err := s.aead(box)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	box.Value = aead.Seal(nonce, nonce, plain, []byte(identityKey))
	return json.Marshal(box)
}

func (s Secret) open(value []byte) ([]byte, error) {
	var box sealed
	if err := json.Unmarshal(value, &box); err != nil {
		return nil, fmt.Errorf("read what replicas have in common: %w", err)
	}
	if box.Iterations < 1 || box.Iterations > maxIterations {
		return nil, fmt.Errorf("read what replicas have in common: %d iterations of PBKDF2", box.Iterations)
	}
	aead, err := s.aead(box)
	if err != nil {
		return nil, err
	}
	if len(box.Value) < aead.NonceSize() {
		return nil, errors.New("read what replicas have in common: it is cut short")
	}
	nonce, ciphertext := box.Value[:aead.NonceSize()], box.Value[aead.NonceSize():]
	plain, err := aead.Open(nil, nonce, ciphertext, []byte(identityKey))
	if err != nil {
		return nil, SecretError{}
	}
	return plain, nil
}

func (s Secret) aead(box sealed) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha256.New, s.text, box.Salt, box.Iterations, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
