package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"os"
)

// sealed is the encryption of books in etcd, as the servers are told of it. It is read here by the
// standard library alone.
type sealed struct {
	file string
	aead cipher.AEAD
}

const sealPrefix = "k8s:enc:aesgcm:v1:oracle:"

// newSealed writes the configuration of the servers into a file.
func newSealed(file string) (*sealed, error) {
	key := bytes.Repeat([]byte("oracle.."), 4)
	config := fmt.Sprintf(`apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [books.library.example.com]
  providers:
  - aesgcm:
      keys:
      - name: oracle
        secret: %s
`, base64.StdEncoding.EncodeToString(key))
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &sealed{file, aead}, os.WriteFile(file, []byte(config), 0o600)
}

// open returns what a value of etcd says. A value that is not encrypted is an error. A nil sealed
// takes all values as they are.
func (s *sealed) open(key string, value []byte) ([]byte, error) {
	if s == nil {
		return value, nil
	}
	box, ok := bytes.CutPrefix(value, []byte(sealPrefix))
	if !ok || len(box) < s.aead.NonceSize() {
		return nil, fmt.Errorf("it is not encrypted: %.40q", value)
	}
	nonce, box := box[:s.aead.NonceSize()], box[s.aead.NonceSize():]
	return s.aead.Open(nil, nonce, box, []byte(key))
}
