package load_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/load"
)

func TestCanImport(t *testing.T) {
	for _, tc := range []struct {
		from, path string
		want       bool
	}{
		{"example.com/a", "example.com/b", true},
		{"example.com/a", "example.com/internal/b", true},
		{"example.com", "example.com/internal", true},
		{"example.com/a", "example.com/b/internal/c", false},
		{"example.com/b/d", "example.com/b/internal/c", true},
		{"example.community", "example.com/internal", false},
		{"example.com/a", "example.org/internal/b", false},
		{"example.com/a", "example.org/internals", true},
		{"example.com/a", "example.com/internal/b/internal/c", false},
	} {
		if got := (&load.Package{Path: tc.from}).CanImport(tc.path); got != tc.want {
			t.Errorf("%s imports %s: %t, want %t", tc.from, tc.path, got, tc.want)
		}
	}
}
