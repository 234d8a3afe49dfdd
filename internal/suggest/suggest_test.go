package suggest_test

import (
	"testing"

	"github.com/typeplane/typeplane/internal/suggest"
)

func TestNearest(t *testing.T) {
	candidates := []string{"secure-port", "bind-address", "data-dir"}
	for word, want := range map[string]string{
		"secure-prt":  "secure-port",
		"secureport":  "secure-port",
		"bind-adress": "bind-address",
		"datadir":     "data-dir",
		"data-dir":    "data-dir",
		"dtaa-dri":    "data-dir",
		"kubeconfig":  "",
		"":            "",
		"x":           "",
	} {
		if got := suggest.Nearest(word, candidates); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
