package database

import (
	"errors"
	"testing"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/storage"
)

// TestKeysOfALaterRelease covers keys that this program can't read: it uses and overwrites none.
func TestKeysOfALaterRelease(t *testing.T) {
	all, widgets := apart(t)
	ctx := t.Context()
	other := all.Overrides()[0]
	resource := all.kinds.Resources[0]
	turn := "/.turns" + resource.KeyPrefix() + "move"
	const key = "/namespaces/n"
	value := string(bookkeeping.Format{Number: 2, Release: "v9.0.0"}.Encode([]byte("7")))
	source := other.Source(storage.Form{})
	for _, own := range []string{voucherPrefix + key, identityKey, turn} {
		if _, err := source.Create(ctx, own, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	namespace, err := all.Main.Source(storage.Form{}).Create(ctx, key, []byte("open"))
	if err != nil {
		t.Fatal(err)
	}
	seen := storage.Op{Key: key, Expected: namespace.Revision, Act: storage.Expect}
	_, create := widgets.Create(ctx, resource.KeyPrefix()+"n/a", []byte("w"), seen)
	_, identity := other.identity(ctx)
	_, move := (&copying{Rehoming: &Rehoming{Resource: resource}, to: other.Database}).takeTurn(ctx)
	for name, err := range map[string]error{"a write": create, "the end of a namespace": other.vouchers.fence(ctx, key, 9), "the identity": identity, "a move": move} {
		var newer *bookkeeping.NewerError
		if !errors.As(err, &newer) || newer.Found.Release != "v9.0.0" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, own := range []string{voucherPrefix + key, identityKey, turn} {
		if e, err := source.Get(ctx, own, storage.GetOptions{}); err != nil || string(e.Value) != value {
			t.Errorf("%s: %q, %v", own, e.Value, err)
		}
	}
}
