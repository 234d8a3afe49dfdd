package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// described is what can be said of a value in etcd. Its fields are the JSON of inspect.
type described struct {
	Key        string `json:"key,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// MediaType is "" for what is no object of Kubernetes' making.
	MediaType string `json:"mediaType,omitempty"`
	// Encryption is nil for what is not encrypted.
	Encryption *encrypted `json:"encryption,omitempty"`
	Size       int        `json:"size"`
	// The revisions of the key's first and last write, and how many there were. 0: not known.
	CreateRevision int64 `json:"createRevision,omitempty"`
	ModRevision    int64 `json:"modRevision,omitempty"`
	Version        int64 `json:"version,omitempty"`
	// Lease is the id of a lease in hexadecimal, as etcdctl has it.
	Lease string `json:"lease,omitempty"`
	// Form says if a server with the same flags would write the same: "current", "stale", "own" for
	// what servers note for themselves, or "" if it is not known.
	Form string `json:"form,omitempty"`
	// Problem is why a server could not read it, or this program can't show it.
	Problem string `json:"problem,omitempty"`

	stored []byte // as it is in etcd
	value  []byte // decrypted
	object []byte // JSON
}

// encrypted is what the prefix of an encrypted value tells.
type encrypted struct {
	Provider string `json:"provider"`
	Key      string `json:"key"`
}

// describe never fails: what is wrong with the value is a part of the description.
func describe(k *database.Kinds, root string, kv etcd3.Raw) described {
	d := described{
		Key: kv.Key, Size: len(kv.Value), CreateRevision: kv.CreateRevision, ModRevision: kv.Revision, Version: kv.Version,
		stored: kv.Value, value: kv.Value,
	}
	if kv.Lease != 0 {
		d.Lease = fmt.Sprintf("%x", uint64(kv.Lease))
	}
	if strings.HasPrefix(strings.TrimPrefix(kv.Key, root), "/.") {
		d.Form = "own"
		if content, _, err := bookkeeping.Decode(kv.Key, kv.Value, math.MaxInt); err == nil && json.Valid(content) {
			d.object = content
		}
		return d
	}
	if d.Encryption = readEncryption(kv.Value); d.Encryption != nil {
		if _, i := resourceAt(k, d.Key, root); k.Encryption == nil || i >= 0 && k.Locked(k.Resources[i]) {
			return d
		}
		if err := d.decrypt(k, root); err != nil {
			d.Problem = err.Error()
			return d
		}
	}
	if err := d.read(k); err != nil {
		d.Problem = err.Error()
	}
	d.compare(k, root)
	return d
}

// decrypt makes of the stored value what it was before it was encrypted.
func (d *described) decrypt(k *database.Kinds, root string) (err error) {
	if d.Key == "" {
		return fmt.Errorf("it is encrypted, and bound to its key: name that, too")
	}
	key, i := resourceAt(k, d.Key, root)
	if i < 0 {
		return fmt.Errorf("no resource of this server has its objects there, so nothing says how it is encrypted")
	}
	d.value, _, err = k.Decrypted(k.Resources[i], root).Canonical(key, d.stored)
	return err
}

// resourceAt returns the key below the root, and the index of the resource whose objects are there,
// or -1.
func resourceAt(k *database.Kinds, whole, root string) (key string, resource int) {
	key, ok := strings.CutPrefix(whole, root)
	if !ok || whole == "" {
		return "", -1
	}
	resource = slices.IndexFunc(k.Resources, func(r registry.Resource) bool { return strings.HasPrefix(key, r.KeyPrefix()) })
	if resource < 0 { // one that a server will move when it starts
		resource = slices.IndexFunc(k.Resources, func(r registry.Resource) bool { return strings.HasPrefix(key, r.PlainKeyPrefix()) })
	}
	return key, resource
}

// read fills in what the value says of itself, and the object.
func (d *described) read(k *database.Kinds) error {
	value := serializer.Unwrap(d.value)
	switch form := serializer.FormOf(value); form {
	case serializer.Protobuf:
	case serializer.YAML:
		object, _, err := serializer.YAMLToJSON(value)
		if err != nil {
			return err
		}
		return d.readJSON(object, form)
	default:
		return d.readJSON(value, form)
	}
	d.MediaType = string(serializer.Protobuf)
	envelope, err := wire.ParseEnvelope(value)
	if err != nil {
		return err
	}
	d.APIVersion, d.Kind = string(envelope.APIVersion), string(envelope.Kind)
	decoded, err := serializer.Decode(k.Scheme, value, serializer.Protobuf, schema.GroupVersionKind{})
	if err != nil {
		return err
	}
	kind, err := k.Scheme.Kind(decoded.GroupVersionKind)
	if err != nil {
		return err
	}
	d.object, err = serializer.AppendKind(nil, kind, decoded.Object, serializer.JSON, false)
	return err
}

// readJSON needs no kind: the object is shown with all that is in it. form is what it was stored
// as.
func (d *described) readJSON(object []byte, form serializer.MediaType) error {
	var said struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(object, &said); err != nil || said.Kind == "" {
		return fmt.Errorf("it is neither protobuf nor JSON of an object")
	}
	d.MediaType = string(form)
	d.APIVersion, d.Kind, d.object = said.APIVersion, said.Kind, object
	return nil
}

// compare says what the resource makes of the value to which the key belongs.
func (d *described) compare(k *database.Kinds, root string) {
	key, i := resourceAt(k, d.Key, root)
	if i < 0 {
		return
	}
	form, err := k.Form(i, root)
	if err != nil {
		d.Problem = err.Error()
		return
	}
	switch entry := form.ReadEntry(key, d.stored, d.ModRevision); {
	case !strings.HasPrefix(key, k.Resources[i].KeyPrefix()):
		d.Form = "misplaced"
	case entry.Err != nil && d.Problem == "":
		d.Problem = entry.Err.Error()
	case entry.Stale:
		d.Form = "stale"
	case entry.Err == nil:
		d.Form = "current"
	}
}

// readEncryption takes apart what Kubernetes puts before an encrypted value:
// k8s:enc:PROVIDER:VERSION:KEY:
func readEncryption(value []byte) *encrypted {
	rest, ok := strings.CutPrefix(string(value[:min(len(value), 512)]), "k8s:enc:")
	if !ok {
		return nil
	}
	parts := strings.SplitN(rest, ":", 4)
	if len(parts) < 4 {
		return &encrypted{Provider: "unknown"}
	}
	provider := parts[0]
	if provider == "kms" {
		provider += " " + parts[1]
	}
	return &encrypted{Provider: provider, Key: parts[2]}
}
