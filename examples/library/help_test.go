package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/tool"
)

var updateHelp = flag.Bool("update-help", false, "write testdata/help and docs/flags.md, what the program says of itself")

// commandNames are the commands beside the server.
var commandNames = []string{"inspect", "backup", "restore", "migrate", "import", "user", "console", "version", "completion"}

// TestHelp compares the help of the program and of its commands with testdata/help.
func TestHelp(t *testing.T) {
	for _, command := range append([]string{""}, commandNames...) {
		var out bytes.Buffer
		if err := tool.Run(t.Context(), program(), strings.Fields("help "+command), tool.Console{Out: &out}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("help %s: a line of %d signs, and a terminal has 80: %s", command, n, line)
			}
		}
		file := filepath.Join("testdata", "help", strings.TrimSpace("library "+command)+".txt")
		if *updateHelp {
			if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("help %s differs from %s; if it is meant, run this test with -update-help (-want +got):\n%s", command, file, diff)
		}
	}
}
