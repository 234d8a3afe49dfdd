package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program/programtest"
)

// TestCommandsReadTheSettings: a command finds the data where its server does.
func TestCommandsReadTheSettings(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	t.Setenv("WIDGETS_DATA_DIR", e.Dir)
	t.Setenv("WIDGETS_SECURE_PORT", "7")
	if out := must(t, "inspect", "/"); !strings.Contains(out, "widgets/ns/beta") {
		t.Errorf("environment:\n%s", out)
	}
	t.Setenv("WIDGETS_DATA_DIR", "")
	os.Unsetenv("WIDGETS_DATA_DIR")
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte("secure-port: 7\ndata-dir: "+e.Dir), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "inspect", "/", "--config", config); !strings.Contains(out, "widgets/ns/beta") {
		t.Errorf("file:\n%s", out)
	}
	// What only a command has is for its command line.
	if err := os.WriteFile(config, []byte("replace: true"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := do(t, "", "restore", "f", "--config", config); err == nil || !strings.Contains(err.Error(), "replace: there is no such flag") {
		t.Errorf("restore: %v", err)
	}
}
