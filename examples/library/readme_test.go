package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadme keeps what the README shows of this example equal to the example.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	types, err := os.ReadFile("api/v1/types.go")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(readme), "```go\n")
	shown, _, _ = strings.Cut(shown, "```")
	if !found || !strings.Contains(string(types), strings.TrimSpace(shown)) {
		t.Errorf("README.md shows Go code that is not in api/v1/types.go:\n%s", shown)
	}
}
