package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	// imported is how many books come from elsewhere. After every so many there is one that is
	// refused, so that the import says how far it has come.
	imported, saysEvery = 480, 80
	// partlyImported is the exit code of an import that refused some.
	partlyImported = 3
)

// TestKilledImportGoesOn kills an import with SIGKILL further and further on, and lets it come to
// its end. Then all books are there, each written once, with the uid and the owner that an import
// without kills gives it.
func TestKilledImportGoesOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "books.yaml")
	if err := os.WriteFile(file, booksFromElsewhere(), 0o600); err != nil {
		t.Fatal(err)
	}
	killed, whole := t.TempDir(), t.TempDir()
	for _, dir := range []string{killed, whole} {
		start(t, dir).stop(syscall.SIGTERM) // which makes the database
	}
	for after := 1; after <= imported/saysEvery; after++ {
		killImport(t, file, killed, after)
	}
	for _, dir := range []string{killed, whole} {
		out, err := exec.Command(binary, "import", "--from", file, "--data-dir", dir).Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != partlyImported || len(out) == 0 {
			t.Fatalf("the import does not come to its end: %v\n%s", err, out)
		}
		t.Logf("%s", out)
	}
	got, revision := importedBooks(t, killed)
	is, wholeRevision := importedBooks(t, whole)
	if len(got) != imported {
		t.Errorf("%d books are there, of %d", len(got), imported)
	}
	if revision != wholeRevision {
		t.Errorf("with kills the database is at revision %s, and without at %s: something was written twice", revision, wholeRevision)
	}
	if !maps.Equal(got, is) {
		t.Error("after kills the books are not those of an import without")
	}
}

// booksFromElsewhere is a list of books, every second of which belongs to the one before it.
func booksFromElsewhere() []byte {
	var out bytes.Buffer
	ownedBy := func(n int) string {
		return fmt.Sprintf(`, "ownerReferences":[{"apiVersion":"library.example.com/v1","kind":"Book","name":"book-%d","uid":"uid-%[1]d"}]`, n)
	}
	for n := range imported {
		owner := ""
		if n%2 == 1 { // what is owned comes when all others are there
			owner = ownedBy(n - 1)
		}
		fmt.Fprintf(&out, `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"book-%d","namespace":"default","uid":"uid-%[1]d"%s},"spec":{"title":"Title","authors":["Anon"],"copies":1}}`+"\n---\n", n, owner)
		if n%saysEvery == saysEvery-1 {
			if owner = ""; n%(2*saysEvery) > saysEvery {
				owner = ownedBy(0)
			}
			fmt.Fprintf(&out, `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"refused-%d","namespace":"default","uid":"refused-%[1]d"%s},"spec":{}}`+"\n---\n", n, owner)
		}
	}
	return out.Bytes()
}

// killImport kills an import when it has refused so many books.
func killImport(t *testing.T, file, dir string, after int) {
	t.Helper()
	cmd := exec.Command(binary, "import", "--from", file, "--data-dir", dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	refused, said := 0, ""
	for lines := bufio.NewScanner(stderr); refused < after && lines.Scan(); {
		said = lines.Text()
		if strings.Contains(lines.Text(), "books default/refused-") {
			refused++
		}
	}
	_ = cmd.Process.Signal(syscall.SIGKILL) // it may have come to its end
	_ = cmd.Wait()                          // it is killed
	if refused < after {
		t.Fatalf("the import has said %d times that a book is refused, want %d; at last it said %s", refused, after, said)
	}
}

// importedBooks are the uids of the books in a database, and of their owners, by name; and at which
// revision it is.
func importedBooks(t *testing.T, dir string) (out map[string]string, revision string) {
	t.Helper()
	s := start(t, dir)
	defer s.stop(syscall.SIGTERM)
	code, body := s.get(books)
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []struct {
			Metadata struct {
				Name, UID       string
				OwnerReferences []struct{ Name, UID string }
			}
		}
	}
	if err := json.Unmarshal(body, &list); code != 200 || err != nil {
		t.Fatalf("%d, %v: %s", code, err, body)
	}
	uids := map[string]string{}
	out = map[string]string{}
	for _, item := range list.Items {
		uids[item.Metadata.Name] = item.Metadata.UID
	}
	for _, item := range list.Items {
		meta := item.Metadata
		out[meta.Name] = meta.UID
		for _, owner := range meta.OwnerReferences {
			out[meta.Name] += " of " + owner.UID
			if uids[owner.Name] != owner.UID {
				t.Errorf("%s belongs to %s, which is %s", meta.Name, owner.UID, uids[owner.Name])
			}
		}
	}
	return out, list.Metadata.ResourceVersion
}
