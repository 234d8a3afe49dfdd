package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const encryptionPage = "../../docs/encryption.md"

// configBlock is a configuration in the page.
var configBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestEncryptionPage starts a server with the first configuration of the page, replaces the file by
// each of the others when its turn comes, and runs the commands between them.
func TestEncryptionPage(t *testing.T) {
	text, err := os.ReadFile(encryptionPage)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "encryption.yaml")
	write := func(config string) {
		t.Helper()
		if err := os.WriteFile(file+".next", []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".next", file); err != nil {
			t.Fatal(err)
		}
	}
	first := configBlock.FindStringSubmatch(string(text))
	write(first[1])
	s := start(t, t.TempDir(), "--encryption-provider-config", file)
	defer s.stop(syscall.SIGTERM)

	inEffect := first[1]
	replace := func(part string) {
		for _, config := range configBlock.FindAllStringSubmatch(part, -1) {
			if config[1] == inEffect {
				continue
			}
			inEffect = config[1]
			before := strings.Count(s.output.String(), "encryption:")
			write(config[1])
			for end := time.Now().Add(hangs); strings.Count(s.output.String(), "encryption:") == before; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("the server does not notice:\n%s\n%s", config[1], s.output)
				}
			}
		}
	}
	withoutDir := func(out string) string { return strings.ReplaceAll(out, dir+"/", "") }
	env := append(storyEnv(t, s), "CONFIG="+file)
	story{file: encryptionPage, text: string(text), env: env, before: replace, places: withoutDir, mask: mask}.tell(t)
}

// What was stored before there was a key is encrypted by migrate, and shown by inspect to whoever
// has the key.
func TestCommandsWithEncryption(t *testing.T) {
	text, err := os.ReadFile(encryptionPage)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config, data := filepath.Join(dir, "encryption.yaml"), filepath.Join(dir, "data")
	if err := os.WriteFile(config, []byte(configBlock.FindStringSubmatch(string(text))[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, data)
	s.mustCreate(t, "secret-garden")
	s.stop(syscall.SIGTERM)

	for _, step := range []struct{ args, want string }{
		{"inspect library.example.com/books/default/secret-garden", "not encrypted"},
		{"migrate --encryption-provider-config " + config, "1         1     1           0      0"},
		{"inspect library.example.com/books/default/secret-garden", "encrypted by"},
		{"inspect library.example.com/books/default/secret-garden --encryption-provider-config " + config, "name: secret-garden"},
		{"migrate --dry-run --encryption-provider-config " + config, "1         0     0           0      0"},
	} {
		args := append(strings.Fields(step.args), "--data-dir", data)
		out, err := exec.Command(binary, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.want) {
			t.Errorf("library %s: %v, want %q in\n%s", step.args, err, step.want, out)
		}
		t.Logf("library %s\n%s", step.args, out)
	}
}
