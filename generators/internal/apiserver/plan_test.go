package apiserver

import "testing"

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
