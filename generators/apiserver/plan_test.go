package apiserver

import "testing"

func TestPlural(t *testing.T) {
	for singular, want := range map[string]string{
		"book": "books", "box": "boxes", "class": "classes", "branch": "branches", "dish": "dishes",
		"policy": "policies", "key": "keys", "quiz": "quizes", "y": "ys",
	} {
		if got := plural(singular); got != want {
			t.Errorf("plural(%q) = %q, want %q", singular, got, want)
		}
	}
}

func TestServerName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com":                   "example.com",
		"github.com/acme/shop":          "shop",
		"github.com/acme/shop/v2":       "shop",
		"github.com/acme/shop/cmd/shop": "shop",
	} {
		if got := serverName(path); got != want {
			t.Errorf("serverName(%q) = %q, want %q", path, got, want)
		}
	}
}
