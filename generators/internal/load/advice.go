package load

import (
	"os"
	"path/filepath"
	"strings"
)

// advices are the cures for what the go command says of a module that is not in order. What it
// says has one of these in it; the first that fits is taken.
var advices = []struct{ said, cure string }{
	{"missing go.sum entry", "run go mod tidy"},
	{"updates to go.mod needed", "run go mod tidy"},
	{"inconsistent vendoring", "run go mod vendor"},
	{"import lookup disabled by -mod=vendor", "run go mod tidy, and then go mod vendor"},
	{"does not contain modules listed in go.work", "run go work use . to add this module to go.work, or set GOWORK=off"},
	{"does not contain main module", "run gen in a folder of the module that is meant"},
	{"replacement directory", "name the folder that is meant in the replace line of go.mod"},
	{"GOTOOLCHAIN=local)", "set GOTOOLCHAIN=auto, so that the go command gets that version, or install it"},
	{"errors parsing go.mod", "mend that line"},
}

// advice makes one line of what the go command said, and finds the command that mends it; "" where
// that is not known. The go command itself names the smallest step, after which it may want the
// next one.
func advice(said string) (what, cure string) {
	first, rest, _ := strings.Cut(strings.ReplaceAll(said, " requires\n\t", " requires "), "\n")
	next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	what = strings.TrimPrefix(first, "go: ")
	for _, before := range []string{"; to add it:", "; to add:", "; to update it:"} {
		if short, ok := strings.CutSuffix(what, before); ok {
			what, cure = short, "run "+next
		}
	}
	if strings.HasSuffix(what, ":") && next != "" {
		what += " " + next
	}
	for _, a := range advices {
		if strings.Contains(what, a.said) {
			return what, a.cure
		}
	}
	return what, cure
}

// noModule tells whether a folder is in no module, which the go command says in other words.
func noModule(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// withoutDownloads takes out the lines in which the go command says what it downloads.
func withoutDownloads(said string) string {
	var kept []string
	for line := range strings.SplitSeq(said, "\n") {
		if !strings.HasPrefix(line, "go: downloading ") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
