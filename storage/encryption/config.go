package encryption

import (
	"strings"
	"time"
)

// The providers, as the configuration file calls them.
const (
	identityProvider  = "identity"
	aesgcmProvider    = "aesgcm"
	aescbcProvider    = "aescbc"
	secretboxProvider = "secretbox"
	kmsProvider       = "kms"
)

// Config is a configuration file that has been read and holds no mistake. It is immutable.
type Config struct {
	// Rules are the items of the file's "resources", in its order.
	Rules []Rule
}

// Rule says how some resources are encrypted: the first provider writes, all of them read.
type Rule struct {
	Resources []Resource
	Providers []Provider
}

// Provider is one way to encrypt.
type Provider struct {
	// Type is identity, aesgcm, aescbc, secretbox or kms.
	Type string
	// Keys are those of aesgcm, aescbc and secretbox; the first one writes.
	Keys []Key
	// KMS is for kms only.
	KMS KMS
}

// Key is a key with the name by which stored values refer to it.
type Key struct {
	Name   string
	Secret []byte
}

// String leaves the secret out.
func (k Key) String() string { return k.Name }

// GoString leaves the secret out.
func (k Key) GoString() string { return "encryption.Key{" + k.Name + "}" }

// KMS is a plug-in that speaks version 2 of Kubernetes' KMS API.
type KMS struct {
	// Name is in front of every value that the plug-in's keys encrypt.
	Name string
	// Endpoint is unix:///path/of/socket, or unix:///@name for an abstract one.
	Endpoint string
	// Timeout bounds each call.
	Timeout time.Duration
}

// Resource is a resource by its group and plural; the group of Kubernetes' core is "". In a rule
// each may be "*".
type Resource struct {
	Group, Name string
}

var everything = Resource{"*", "*"}

// String is the name as the file has it: secrets, books.library.example.com, *.apps, *. for the
// core group, *.*.
func (r Resource) String() string {
	if r.Group == "" && r.Name != "*" {
		return r.Name
	}
	return r.Name + "." + r.Group
}

func parseResource(s string) Resource {
	name, group, _ := strings.Cut(s, ".")
	return Resource{Group: group, Name: name}
}

// covers says whether a rule for r holds for the resource other.
func (r Resource) covers(other Resource) bool {
	return r == other || r == everything || r.Name == "*" && r.Group == other.Group
}
