// Package kmstest is a KMS plug-in for tests. It speaks version 2 of Kubernetes' KMS API on a
// unix socket, keeps its keys in memory, and misbehaves when a test tells it to. It protects
// nothing. Start reading at Start.
package kmstest

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc"

	kmsapi "k8s.io/kms/apis/v2"
)

// Annotation is with every seed that a plug-in encrypts; Decrypt wants it back.
const Annotation = "version.kmstest.example.com"

// Plugin is a running plug-in. Its methods may be called from any goroutine.
type Plugin struct {
	kmsapi.UnimplementedKeyManagementServiceServer
	socket string

	mu     sync.Mutex // guards the fields below
	server *grpc.Server
	keyID  string
	status kmsapi.StatusResponse
	refuse map[string]bool // ids of keys
	frozen chan struct{}
	calls  map[string]int
}

// Start runs a plug-in with the key "1" until the test ends.
func Start(t testing.TB) *Plugin {
	t.Helper()
	dir, err := os.MkdirTemp("", "kms") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	p := &Plugin{socket: filepath.Join(dir, "s"), keyID: "1", refuse: map[string]bool{}, calls: map[string]int{}}
	p.Healthy("ok", "v2")
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop()
		os.RemoveAll(dir)
	})
	return p
}

// Endpoint is where the plug-in listens.
func (p *Plugin) Endpoint() string { return "unix://" + p.socket }

// Stop ends the plug-in as if its process had ended. Its keys are kept.
func (p *Plugin) Stop() {
	p.mu.Lock()
	server := p.server
	p.server = nil
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
	p.mu.Unlock()
	if server != nil {
		server.Stop()
	}
}

// Resume starts it again.
func (p *Plugin) Resume() error {
	listener, err := net.Listen("unix", p.socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	kmsapi.RegisterKeyManagementServiceServer(server, p)
	p.mu.Lock()
	p.server = server
	p.mu.Unlock()
	go server.Serve(listener)
	return nil
}

// Freeze lets calls wait until Stop.
func (p *Plugin) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = make(chan struct{})
}

// Use makes id the key that Encrypt uses. Values of the keys before can still be decrypted.
func (p *Plugin) Use(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keyID = id
}

// Refuse makes Decrypt fail for the key id, or no longer.
func (p *Plugin) Refuse(id string, refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse[id] = refuse
}

// Healthy sets what Status answers: "ok" and "v2" if all is well.
func (p *Plugin) Healthy(healthz, version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status.Healthz, p.status.Version = healthz, version
}

// Calls returns how often a method was called.
func (p *Plugin) Calls(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[method]
}

// begin counts a call, waits if the plug-in is frozen, and returns the current key.
func (p *Plugin) begin(method string) string {
	p.mu.Lock()
	p.calls[method]++
	frozen, id := p.frozen, p.keyID
	p.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
	return id
}

// Status implements the API.
func (p *Plugin) Status(context.Context, *kmsapi.StatusRequest) (*kmsapi.StatusResponse, error) {
	id := p.begin("Status")
	p.mu.Lock()
	defer p.mu.Unlock()
	return &kmsapi.StatusResponse{Version: p.status.Version, Healthz: p.status.Healthz, KeyId: id}, nil
}

// Encrypt implements the API.
func (p *Plugin) Encrypt(_ context.Context, r *kmsapi.EncryptRequest) (*kmsapi.EncryptResponse, error) {
	id := p.begin("Encrypt")
	aead, err := key(id)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	return &kmsapi.EncryptResponse{
		KeyId:       id,
		Ciphertext:  aead.Seal(nonce, nonce, r.Plaintext, nil),
		Annotations: map[string][]byte{Annotation: []byte("1")},
	}, nil
}

// Decrypt implements the API.
func (p *Plugin) Decrypt(_ context.Context, r *kmsapi.DecryptRequest) (*kmsapi.DecryptResponse, error) {
	p.begin("Decrypt")
	p.mu.Lock()
	refused := p.refuse[r.KeyId]
	p.mu.Unlock()
	if refused {
		return nil, errors.New("the key is disabled")
	}
	if string(r.Annotations[Annotation]) != "1" {
		return nil, errors.New("the annotation did not come back")
	}
	aead, err := key(r.KeyId)
	if err != nil {
		return nil, err
	}
	size := aead.NonceSize()
	if len(r.Ciphertext) < size {
		return nil, errors.New("cut off")
	}
	plain, err := aead.Open(nil, r.Ciphertext[:size], r.Ciphertext[size:], nil)
	return &kmsapi.DecryptResponse{Plaintext: plain}, err
}

// key makes a key of its id, so that a plug-in of the next process has the same.
func key(id string) (cipher.AEAD, error) {
	sum := sha256.Sum256([]byte("kmstest " + id))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
