package garbage

import (
	"crypto/sha256"
	"encoding/hex"
)

// uid is the UID of an object in the size of a UUID. Nearly all are one.
type uid [16]byte

// uidOf returns text as it is if that is a UUID in its usual form, else the beginning of its hash.
func uidOf(text string) (id uid) {
	if readUUID(&id, text) {
		return id
	}
	sum := sha256.Sum256([]byte(text))
	copy(id[:], sum[:])
	return id
}

// readUUID reads a UUID in lower case. UIDs are compared as texts, so that no other form of the
// same number may be taken for it.
func readUUID(id *uid, text string) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) != len(form) {
		return false
	}
	var digits [2 * len(id)]byte
	n := 0
	for i := range len(form) {
		switch c := text[i]; {
		case form[i] == '-' && c == '-':
		case form[i] == 'x' && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f'):
			digits[n] = c
			n++
		default:
			return false
		}
	}
	_, err := hex.Decode(id[:], digits[:])
	return err == nil
}
