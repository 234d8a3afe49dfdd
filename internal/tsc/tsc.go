// Package tsc has the compiler of TypeScript judge files, for tests of what gen prints for it.
package tsc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// strict are the options of the compiler: it knows the language, and nothing of browsers.
const strict = `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler", "types": []}}`

// Check returns what the compiler says of files, by their names; "" if nothing is wrong. The test
// is skipped where the compiler, which make console installs, is not there.
func Check(t testing.TB, files map[string]string) string {
	t.Helper()
	program := compiler(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tsconfig.json", strict)
	for name, text := range files {
		write(name, text)
	}
	cmd := exec.Command(program, "-p", ".", "--pretty", "false")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || err != nil && len(out) == 0 {
		t.Fatalf("tsc: %v", err)
	}
	return string(out)
}

// compiler is the one that builds the page of the console.
func compiler(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node to run the compiler of TypeScript")
	}
	_, here, _, _ := runtime.Caller(0)
	program := filepath.Join(filepath.Dir(here), "../../bin/console/node_modules/.bin/tsc")
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no compiler of TypeScript; make console installs it")
	}
	return program
}
