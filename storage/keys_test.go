package storage_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/storage"
)

func TestJoin(t *testing.T) {
	for _, tc := range []struct {
		segments []string
		want     string
	}{
		{[]string{"pods"}, "/pods"},
		{[]string{"library.example.com", "books", "ns", "foo"}, "/library.example.com/books/ns/foo"},
		{[]string{"pods", "a b", "..."}, "/pods/a b/..."},
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"pods", "", "a"}, ""},
		{[]string{"pods", "."}, ""},
		{[]string{"pods", ".."}, ""},
		{[]string{"pods", "a/b"}, ""},
		{[]string{"pods", "/"}, ""},
		{[]string{"pods", "a\x00"}, ""},
	} {
		got, err := storage.Join(tc.segments...)
		if tc.want == "" {
			if storage.CodeOf(err) != storage.CodeInvalidKey || got != "" {
				t.Errorf("Join(%q) = %q, %v", tc.segments, got, err)
			}
			continue
		}
		if got != tc.want || err != nil {
			t.Errorf("Join(%q) = %q, %v; want %q", tc.segments, got, err, tc.want)
		}
	}
}

// FuzzJoin: what Join accepts is a key, and its segments can be told from it.
func FuzzJoin(f *testing.F) {
	f.Add("pods", "ns", "a")
	f.Add("..", "", "a/b")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		key, err := storage.Join(a, b, c)
		if err != nil {
			return
		}
		if err := storage.CheckKey("test", key); err != nil {
			t.Errorf("Join made %q: %v", key, err)
		}
		if got := strings.Split(key[1:], "/"); len(got) != 3 || got[0] != a || got[1] != b || got[2] != c {
			t.Errorf("Join(%q, %q, %q) = %q", a, b, c, key)
		}
		if err := storage.CheckPrefix("test", key+"/"); err != nil {
			t.Errorf("%q as a prefix: %v", key, err)
		}
	})
}

func TestErrorText(t *testing.T) {
	err := fmt.Errorf("outer: %w", &storage.Error{Code: storage.CodeFuture, Op: "list", Key: "/pods/", Revision: 9, Current: 7, Err: errors.New("cause")})
	if want := "outer: storage: list /pods/: revision not reached yet (revision 9, current 7): cause"; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if storage.CodeOf(err) != storage.CodeFuture || storage.CodeOf(nil) != storage.CodeOther || storage.CodeOf(errors.New("x")) != storage.CodeOther {
		t.Error("wrong code")
	}
}

func ExampleJoin() {
	key, _ := storage.Join("library.example.com", "books", "ns", "dune")
	fmt.Println(key)
	_, err := storage.Join("library.example.com", "books", "ns", "../other/dune")
	fmt.Println(err)
	// Output:
	// /library.example.com/books/ns/dune
	// storage: join /library.example.com/books/ns/../other/dune: invalid key: segment "../other/dune" holds a slash
}
