package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnit: systemd understands every line of the unit, and finds it as closed as it has to be.
func TestUnit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deploy, "systemd", "typeplane@.service"))
	if err != nil {
		t.Fatal(err)
	}
	// A program of this name need not be there to judge the rest.
	unit := filepath.Join(t.TempDir(), "typeplane@library.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/%i", "/bin/true")), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := must(t, nil, "systemd-analyze", "verify", "--man=no", unit); out != "" {
		t.Errorf("systemd-analyze verify: %s", out)
	}
	// 15 is an exposure of 1.5, of 10 for a unit that says nothing.
	out := must(t, nil, "systemd-analyze", "security", "--offline=true", "--threshold=15", unit)
	if !strings.Contains(out, "Overall exposure level") {
		t.Errorf("systemd-analyze security: %s", out)
	}
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "ProtectSystem=strict", "ProtectSytem=strict")), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _ := run(t, nil, "systemd-analyze", "verify", "--man=no", unit); !strings.Contains(out, "ProtectSytem") {
		t.Errorf("a wrong word is not seen: %s", out)
	}
}
