package storagetest

import (
	"strings"

	"github.com/typeplane/typeplane/storage"
)

var badKeys = []string{
	"", "/", "pods/ns/a", "/pods//a", "/pods/ns/", "/pods/./a", "/pods/../a", "/pods/ns/.", "/pods/ns/..", "/..", "//", "/pods/a\x00b", "/\x00",
}

// badSelections are neither a prefix nor a key.
var badSelections = []string{"", "pods", "pods/", "//", "/pods//", "/pods//a", "/pods/../", "/..", "/./", "/pods/a\x00/", "/pods/a\x00b"}

var keyTests = []namedTest{
	{"a malformed key is refused by every method", func(e *env) {
		try := func(storage.Entry) ([]byte, []storage.Op, error) {
			e.Error("try was called")
			return nil, nil, nil
		}
		for _, key := range badKeys {
			_, err := e.s.Get(e.ctx, key, storage.GetOptions{})
			e.wantCode(err, storage.CodeInvalidKey, key)
			_, err = e.s.Create(e.ctx, key, []byte("x"))
			e.wantCode(err, storage.CodeInvalidKey, key)
			_, err = e.s.GuaranteedUpdate(e.ctx, key, try)
			e.wantCode(err, storage.CodeInvalidKey, key)
			_, err = e.s.Delete(e.ctx, key, nil)
			e.wantCode(err, storage.CodeInvalidKey, key)
			_, err = e.s.Create(e.ctx, "/pods/ns/a", []byte("x"), storage.Op{Key: key, Value: []byte("x")})
			e.wantCode(err, storage.CodeInvalidKey, key)
		}
		e.missing("/pods/ns/a")
	}},
	{"a malformed selection is refused by every method", func(e *env) {
		for _, selection := range badSelections {
			_, err := e.s.List(e.ctx, selection, storage.ListOptions{})
			e.wantCode(err, storage.CodeInvalidKey, selection)
			_, err = e.s.Watch(e.ctx, selection, storage.WatchOptions{After: e.revision()})
			e.wantCode(err, storage.CodeInvalidKey, selection)
			_, err = e.s.Count(e.ctx, selection)
			e.wantCode(err, storage.CodeInvalidKey, selection)
		}
	}},
	{"a start outside the prefix is refused", func(e *env) {
		e.create("/pods/ns/a", "x")
		for _, start := range []string{"/", "/pods", "/pods/ns2/a", "/pods/ns", "/secrets/ns/a"} {
			_, err := e.s.List(e.ctx, "/pods/ns/", storage.ListOptions{Start: start})
			e.wantCode(err, storage.CodeInvalidKey, start)
		}
		for _, start := range []string{"/pods/ns/", "/pods/ns/a", "/pods/ns/a\x00", "/pods/ns/a/b"} { // of one key there is no later part
			_, err := e.s.List(e.ctx, "/pods/ns/a", storage.ListOptions{Start: start})
			e.wantCode(err, storage.CodeInvalidKey, start)
		}
	}},
	{"one slash is everything below the root", func(e *env) {
		e.create("/pods/ns/a", "x")
		e.create("/secrets/ns/a", "y")
		if got := keys(e.list("/", storage.ListOptions{}).Entries); strings.Join(got, " ") != "/pods/ns/a=x /secrets/ns/a=y" {
			e.Fatalf("got %v", got)
		}
	}},
	{"unusual but well-formed keys work", func(e *env) {
		for _, key := range []string{"/a", "/pods/ns/a b", "/pods/ns/a:b", "/pods/ns/...", "/pods/ns/.a", "/pods/ns/ü", "/pods/ns/%2e%2e", "/pods/ns/\xff"} {
			made := e.create(key, "x")
			e.wantEntry(e.get(key), key, "x", made.Revision)
			e.delete(key)
		}
	}},
}
