package serve

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/replicas"
)

// Names of the keys that all servers on one database must have in common, with what goes wrong if
// they have not.
const (
	authorityName  = "certificate authority"
	tokenKeyName   = "key of service account tokens"
	encryptionName = "encryption key"
)

var withoutCommon = map[string]string{
	authorityName:  "kubeconfig files and client certificates of one are refused by the other, and its clients do not trust the other",
	tokenKeyName:   "tokens of service accounts that one has signed are refused by the other",
	encryptionName: "Secrets that one has written can't be read by the other",
}

// joinPeers makes this server known to those that share a database, in which it has some kinds.
// From then on it says that it runs, until leave is called.
func (p *plan) joinPeers(ctx context.Context, url string, db *database.Database, in *database.Kinds) (leave func() error, err error) {
	if !db.Backend.Shared {
		return func() error { return nil }, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	db.Peers, err = database.JoinPeers(ctx, in, db, replicas.Replica{
		ID: uuid.NewString(), URL: url, Host: host, Release: p.build.Version, Started: time.Now(),
	}, p.log)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	var loop sync.WaitGroup
	loop.Go(func() { recovery.Loop(running, p.log, "replicas", db.Peers.Run) })
	return func() error {
		stop()
		loop.Wait()
		return nil
	}, nil
}

// comparePeers warns of servers on the same database that have other keys: to clients they are
// another service.
func (p *plan) comparePeers(ctx context.Context, door *door, db *database.Database, users *identity) error {
	keys := map[string]string{
		authorityName: fingerprint(door.authority.cert.Raw),
		tokenKeyName:  users.key,
	}
	if data, err := os.ReadFile(database.OwnEncryption(p.options.Store.DataDir)); err == nil && p.keepsSecrets() {
		keys[encryptionName] = fingerprint(data)
	}
	differ, err := db.Peers.Compare(ctx, keys)
	for _, d := range differ {
		p.log.Warn(fmt.Sprintf("the server at %s, on %s, runs on the same etcd and has another %s: %s; give all of them the same --cluster-secret-file, or copy the directory %s of one to the others",
			d.URL, d.Host, d.Key, withoutCommon[d.Key], p.pki()))
	}
	return err
}

// fingerprint is a short name of a key or certificate, which says nothing of what is in it.
func fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func publicFingerprint(key crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	return fingerprint(der), err
}
