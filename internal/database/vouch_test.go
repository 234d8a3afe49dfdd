package database

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// apart are two databases in memory: widgets have one of their own.
func apart(t *testing.T) (all *Databases, widgets cacher.Source) {
	t.Helper()
	k, err := NewKinds(programtest.Widgets(), &program.NewOptions("widgets").Store)
	if err != nil {
		t.Fatal(err)
	}
	own := k.Resources[0].GroupResource()
	all = &Databases{Main: openMemory(), overrides: []*Override{{openMemory(), program.EtcdOverride{Resources: []schema.GroupResource{own}}}}}
	all.vouch(k)
	db := all.Of(own)
	return all, &vouched{cacher.SourceOf(db.Source(storage.Form{})), db, db.vouchers}
}

// TestVouchers: a write depends on a key of another database as if it were one transaction, as long
// as who changes that key calls Fence.
func TestVouchers(t *testing.T) {
	all, widgets := apart(t)
	main, ctx := all.Main.Source(storage.Form{}), t.Context()
	const key = "/namespaces/n"
	namespace, err := main.Create(ctx, key, []byte("open"))
	if err != nil {
		t.Fatal(err)
	}
	seen := storage.Op{Key: key, Expected: namespace.Revision, Act: storage.Expect}
	for _, name := range []string{"a", "b"} {
		if _, err := widgets.Create(ctx, "/shop.example.com/widgets/n/"+name, []byte("w"), seen); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}

	changed, err := main.GuaranteedUpdate(ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("closed"), nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Fence(ctx, key, changed.Revision); err != nil {
		t.Fatal(err)
	}
	for try := range 2 { // with the voucher that is remembered, and with one that is read
		if _, err := widgets.Create(ctx, "/shop.example.com/widgets/n/late", []byte("w"), seen); storage.CodeOf(err) != storage.CodeConflict {
			t.Errorf("try %d: a create that has seen the namespace before it was closed: %v", try, err)
		}
	}
	refused := errors.New("it is closed")
	_, err = widgets.GuaranteedUpdate(ctx, "/shop.example.com/widgets/n/a", func() storage.TryUpdate {
		tries := 0
		return func(storage.Entry) ([]byte, []storage.Op, error) {
			if tries++; tries > 2 {
				return nil, nil, refused
			}
			return []byte("changed"), []storage.Op{seen}, nil
		}
	}())
	if !errors.Is(err, refused) {
		t.Errorf("an update that has seen it: %v", err)
	}
	seen.Expected = changed.Revision
	if _, err := widgets.Create(ctx, "/shop.example.com/widgets/n/late", []byte("w"), seen); err != nil {
		t.Errorf("a create that has seen the change: %v", err)
	}
}

// TestVoucherOfASleeper: who looks at a key, sleeps while it changes, and goes on, gets nothing
// written.
func TestVoucherOfASleeper(t *testing.T) {
	all, _ := apart(t)
	main, ctx, v := all.Main.Source(storage.Form{}), t.Context(), all.overrides[0].vouchers
	const key = "/namespaces/n"
	namespace, err := main.Create(ctx, key, []byte("open"))
	if err != nil {
		t.Fatal(err)
	}
	before, err := v.read(ctx, key) // there is none; here it falls asleep
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Fence(ctx, key, namespace.Revision+1); err != nil {
		t.Fatal(err)
	}
	if _, err := v.write(ctx, key, namespace.Revision, before); !errors.Is(err, errOvertaken) {
		t.Errorf("the sleeper writes: %v", err)
	}
}

// TestNoTransactionOfTwo: what would have to be written to two databases at once is refused.
func TestNoTransactionOfTwo(t *testing.T) {
	_, widgets := apart(t)
	if _, err := widgets.Create(t.Context(), "/shop.example.com/widgets/n/a", []byte("w"), storage.Op{Key: "/resourcequotas/n/q", Value: []byte("1")}); err == nil {
		t.Error("a create wrote to two databases")
	}
}
