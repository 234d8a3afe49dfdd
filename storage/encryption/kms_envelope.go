package encryption

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// envelope is Kubernetes' EncryptedObject (version 2): a value encrypted with a key that is made of
// source, and source encrypted by the KMS.
type envelope struct {
	data        []byte
	keyID       string // of the KMS
	source      []byte
	annotations map[string][]byte // for the KMS to decrypt source with
	kind        sourceKind
}

// sourceKind is what source is, once it is decrypted.
type sourceKind int

const (
	// sourceKey is the key itself, which is for AES-GCM.
	sourceKey sourceKind = 0
	// sourceSeed is expanded by HKDF (SHA-256), with the first infoSize bytes of data as its info,
	// to a key for AES-GCM.
	sourceSeed sourceKind = 1
)

const (
	seedSize    = 32
	infoSize    = 32
	derivedSize = 32

	// The bounds that Kubernetes has.
	maxKeyID       = 1 << 10
	maxSource      = 1 << 10
	maxAnnotations = 32 << 10
)

// Field numbers of EncryptedObject.
const (
	fieldData        = 1
	fieldKeyID       = 2
	fieldSource      = 3
	fieldAnnotations = 4
	fieldKind        = 5
)

// append appends the message to dst, with fields in ascending order and annotations sorted.
func (e *envelope) append(dst []byte) []byte {
	dst = appendBytes(dst, fieldData, e.data)
	dst = appendBytes(dst, fieldKeyID, []byte(e.keyID))
	dst = appendBytes(dst, fieldSource, e.source)
	names := make([]string, 0, len(e.annotations))
	for name := range e.annotations {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		pair := appendBytes(nil, 1, []byte(name))
		pair = appendBytes(pair, 2, e.annotations[name])
		dst = appendBytes(dst, fieldAnnotations, pair)
	}
	if e.kind != 0 {
		dst = protowire.AppendTag(dst, fieldKind, protowire.VarintType)
		dst = protowire.AppendVarint(dst, uint64(e.kind))
	}
	return dst
}

func appendBytes(dst []byte, field protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), b)
}

var errEnvelope = errors.New("the encrypted value is no EncryptedObject of Kubernetes, or cut off")

// parseEnvelope reads a message. The result shares memory with b. Fields of a later version are
// passed over.
func parseEnvelope(b []byte) (envelope, error) {
	var e envelope
	err := eachField(b, func(field protowire.Number, bytes []byte, number uint64) error {
		switch field {
		case fieldData:
			e.data = bytes
		case fieldKeyID:
			e.keyID = string(bytes)
		case fieldSource:
			e.source = bytes
		case fieldAnnotations:
			var name string
			var value []byte
			err := eachField(bytes, func(field protowire.Number, bytes []byte, _ uint64) error {
				switch field {
				case 1:
					name = string(bytes)
				case 2:
					value = bytes
				}
				return nil
			})
			if e.annotations == nil {
				e.annotations = map[string][]byte{}
			}
			e.annotations[name] = value
			return err
		case fieldKind:
			if bytes != nil || number > 1 {
				return fmt.Errorf("the encrypted value has a source of the unknown kind %d", number)
			}
			e.kind = sourceKind(number)
		}
		return nil
	})
	if err != nil {
		return envelope{}, err
	}
	if len(e.data) == 0 {
		return envelope{}, errEnvelope
	}
	return e, e.check()
}

// eachField calls do with the fields of a message: bytes for those that have a length, number for
// varints.
func eachField(b []byte, do func(field protowire.Number, bytes []byte, number uint64) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errEnvelope
		}
		b = b[n:]
		var bytes []byte
		var number uint64
		switch {
		case kind == protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		case kind == protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		// A known field of another type than its own is damage.
		if n < 0 || field <= fieldAnnotations && kind != protowire.BytesType {
			return errEnvelope
		}
		if err := do(field, bytes, number); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// check returns an error if Kubernetes would refuse the envelope, whatever data is.
func (e *envelope) check() error {
	if err := checkKeyID(e.keyID); err != nil {
		return err
	}
	if len(e.source) == 0 || len(e.source) > maxSource {
		return fmt.Errorf("an encrypted seed of %d bytes, want 1 to %d", len(e.source), maxSource)
	}
	size := 0
	for name, value := range e.annotations {
		size += len(name) + len(value)
		if !isDomain(name) {
			return fmt.Errorf("the annotation %q is no domain name with a dot in it", name)
		}
	}
	if size > maxAnnotations {
		return fmt.Errorf("annotations of %d bytes, at most %d are allowed", size, maxAnnotations)
	}
	return nil
}

func checkKeyID(id string) error {
	if id == "" || len(id) > maxKeyID {
		return fmt.Errorf("a key id of %d bytes, want 1 to %d", len(id), maxKeyID)
	}
	return nil
}

var domain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$`)

func isDomain(name string) bool {
	name = strings.TrimSuffix(name, ".")
	return len(name) <= 253 && domain.MatchString(name)
}

// identity is what the decrypted source is known by.
func (e *envelope) identity() string {
	e2 := *e
	e2.data = nil
	return string(e2.append(nil))
}

// sealWithSeed encrypts plain with a key of its own, made of seed.
func sealWithSeed(seed []byte, path string, plain []byte) ([]byte, error) {
	info := make([]byte, infoSize)
	rand.Read(info) // never fails: it ends the process instead
	box, err := derive(seed, info)
	if err != nil {
		return nil, err
	}
	return box.seal(info, path, plain)
}

// openWith decrypts the data of an envelope with its decrypted source.
func (e *envelope) openWith(source []byte, path string) ([]byte, error) {
	if e.kind == sourceKey {
		aead, err := newGCM(source)
		if err != nil {
			return nil, err
		}
		plain, _, err := gcm{aead}.open(path, e.data)
		return plain, err
	}
	if len(e.data) < infoSize {
		return nil, errShort
	}
	box, err := derive(source, e.data[:infoSize])
	if err != nil {
		return nil, err
	}
	plain, _, err := box.open(path, e.data[infoSize:])
	return plain, err
}

func derive(seed, info []byte) (gcm, error) {
	if len(seed) < seedSize {
		return gcm{}, fmt.Errorf("the KMS plug-in returned a seed of %d bytes, want at least %d", len(seed), seedSize)
	}
	key, err := hkdf.Expand(sha256.New, seed, string(info), derivedSize)
	if err != nil {
		return gcm{}, err
	}
	aead, err := newGCM(key)
	return gcm{aead}, err
}
