package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// wrapped makes a program of examples/library that a shell starts behind some commands, and returns
// its name for startProgram. What the commands do to their process holds for the server.
func wrapped(t *testing.T, commands string) string {
	t.Helper()
	name := "library-" + t.Name()
	script := fmt.Sprintf("#!/bin/sh\nset -e\n%s\nexec %s \"$@\"\n", commands, binary)
	if err := os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// ownKinds are the flags of start, for startProgram.
func ownKinds(args ...string) []string {
	return append([]string{"--enable-api=none", "--storage-migration-rate=0"}, args...)
}
