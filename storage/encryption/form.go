package encryption

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/storage"
)

// Target is one resource whose values are to be encrypted.
type Target struct {
	Resource Resource
	// Root is what the store puts before its keys: the root and the key together are what values
	// are bound to.
	Root string
	// Form is how values lie in the database except for encryption.
	Form storage.Form
	// Owns returns an error if value, a canonical one, is not of the object that lies at key; nil:
	// there is no such check. It is asked where the format does not bind a value to its key, so
	// that one can't be moved to another.
	Owns func(key string, value []byte) error
}

// Form returns target's form with encryption, by the configuration that is in effect at each call.
// What it can't decrypt is an error of Canonical, which makes a poisoned entry, and nothing is
// written that it can't encrypt. Its errors name keys of etcd and of the configuration, and hold no
// secret and no value.
func (e *Encryption) Form(target Target) storage.Form {
	t := transformer{Target: target, current: e.current.Load}
	return storage.Form{Canonical: t.canonical, Stored: t.stored}
}

// Seals says whether values of a resource that are written now are encrypted.
func (e *Encryption) Seals(resource Resource) bool {
	return e.current.Load().slots(resource)[0].prefix != ""
}

// Encrypted says whether a stored value is encrypted, by whichever key.
func Encrypted(stored []byte) bool { return bytes.HasPrefix(stored, []byte(encryptedPrefix)) }

// Plain returns form for a server without a configuration: it says of an encrypted value that it is
// one.
func Plain(form storage.Form) storage.Form {
	inner := form.Canonical
	form.Canonical = func(key string, stored []byte) ([]byte, bool, error) {
		switch {
		case Encrypted(stored):
			return nil, false, fmt.Errorf("decrypt the value of %s: it is encrypted, and there is no encryption configuration", key)
		case inner == nil:
			return stored, false, nil
		}
		return inner(key, stored)
	}
	return form
}

// transformer is the form of one resource.
type transformer struct {
	Target
	current func() *ruleset
}

func (t transformer) stored(key string, value []byte) ([]byte, error) {
	plain, err := t.Form.WriteValue(key, value)
	if err != nil {
		return nil, err
	}
	first := t.current().slots(t.Resource)[0]
	if first.prefix == "" {
		return plain, nil
	}
	sealed, err := first.box.seal([]byte(first.prefix), t.Root+key, plain)
	if err != nil {
		return nil, fmt.Errorf("encrypt the value of %s: %w", key, err)
	}
	return sealed, nil
}

// canonical tries every box that the beginning of stored allows. Names of keys need not be unique
// in a file, and AES-CBC may not notice that it was the wrong key. What counts is that the result
// is an object.
func (t transformer) canonical(key string, stored []byte) (value []byte, stale bool, err error) {
	rules := t.current()
	var errs []error
	for i, s := range rules.slots(t.Resource) {
		sealed, ok := bytes.CutPrefix(stored, []byte(s.prefix))
		if !ok {
			continue
		}
		plain, old, err := s.box.open(t.Root+key, sealed)
		if errors.Is(err, errEncrypted) {
			continue
		}
		var reread bool
		if err == nil {
			value, reread, err = t.inner(key, plain)
		}
		if err == nil && t.Owns != nil && !s.box.bound() {
			err = t.Owns(key, value)
		}
		if err == nil {
			return value, i > 0 || old || reread, nil
		}
		if s.prefix != "" {
			err = fmt.Errorf("decrypt the value of %s (%s): %w", key, strings.TrimSuffix(s.prefix, ":"), err)
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return nil, false, fmt.Errorf("decrypt the value of %s: %w", key, rules.unreadable(t.Resource, stored))
	}
	return nil, false, errors.Join(errs...)
}

func (t transformer) inner(key string, plain []byte) ([]byte, bool, error) {
	if t.Form.Canonical == nil {
		return plain, false, nil
	}
	return t.Form.Canonical(key, plain)
}

// ruleset is a configuration with its boxes. It is immutable.
type ruleset struct {
	config  *Config
	file    string
	hash    [32]byte
	plugins map[KMS]*plugin
	boxes   map[Resource][]slot // of the resources and wildcards that the file names
}

// plain is for resources that no rule is about.
var plain = []slot{{"", identity{}}}

// slots returns the boxes of a resource, at least one.
func (r *ruleset) slots(resource Resource) []slot {
	for _, name := range [...]Resource{resource, {resource.Group, "*"}, everything} {
		if s, ok := r.boxes[name]; ok {
			return s
		}
	}
	return plain
}

// unreadable says why no box can be tried on a value.
func (r *ruleset) unreadable(resource Resource, stored []byte) error {
	if !Encrypted(stored) {
		return fmt.Errorf("it is not encrypted, and no provider of %s in %s reads plain values: add identity: {} as the last one", resource, r.file)
	}
	parts := strings.SplitN(string(stored[:min(len(stored), 200)]), ":", 6)
	if len(parts) < 6 {
		return errors.New("it is encrypted in an unknown way, or cut off")
	}
	provider, version, name := parts[2], parts[3], parts[4]
	if provider == kmsProvider && version == "v1" {
		return fmt.Errorf("it was encrypted with version 1 of the KMS API (plug-in %q), which is not supported: let kube-apiserver rewrite it with version 2", name)
	}
	return fmt.Errorf("it was encrypted by %s with key %q, and the providers of %s in %s have no such key: add it behind the others", provider, name, resource, r.file)
}
