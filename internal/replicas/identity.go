package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/storage"
)

// identityKey is where the identity lies, sealed.
const identityKey = "/.identity"

// Identity is what the replicas of one service have in common: the contents of files by their
// names.
type Identity map[string][]byte

// Share returns the identity of the service whose objects are in the store. It is the identity that
// lies there. If there is none yet, Share puts that of mine there. Servers that start at the same
// time all get the same. The store is one without a cache and with the zero Form, at the root of
// the resources.
//
// The error is a SecretError if the identity was sealed with another secret.
func Share(ctx context.Context, store storage.Interface, secret Secret, mine func() (Identity, error)) (Identity, error) {
	entry, err := store.Get(ctx, identityKey, storage.GetOptions{})
	if err == nil {
		sealed, _, err := bookkeeping.Decode(identityKey, entry.Value, bookkeeping.First.Number)
		if err != nil {
			return nil, err
		}
		return open(secret, sealed)
	}
	if storage.CodeOf(err) != storage.CodeNotFound {
		return nil, fmt.Errorf("read what replicas have in common: %w", err)
	}
	own, err := mine()
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	sealed, err := secret.seal(plain)
	if err != nil {
		return nil, err
	}
	switch _, err = store.Create(ctx, identityKey, sealed); storage.CodeOf(err) {
	case storage.CodeExists:
		return Share(ctx, store, secret, mine) // another one came first
	default:
		return own, err
	}
}

func open(secret Secret, sealed []byte) (Identity, error) {
	plain, err := secret.open(sealed)
	if err != nil {
		return nil, err
	}
	var id Identity
	if err := json.Unmarshal(plain, &id); err != nil {
		return nil, fmt.Errorf("read what replicas have in common: %w", err)
	}
	return id, nil
}

// Differs returns the first name of a file that two identities have with different contents, "" if
// there is none.
func (id Identity) Differs(other Identity) string {
	for _, name := range slices.Sorted(maps.Keys(id)) {
		if theirs, ok := other[name]; ok && !bytes.Equal(id[name], theirs) {
			return name
		}
	}
	return ""
}
