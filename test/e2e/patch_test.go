package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestKubectlChanges is everything by which kubectl changes a part of an object.
func TestKubectlChanges(t *testing.T) {
	s := start(t, t.TempDir())
	defer s.stop(syscall.SIGTERM)
	const (
		sample = "examples/library/samples/book-v1.yaml"
		moved  = "test/e2e/testdata/book-in-the-cellar.yaml"
		name   = "the-go-programming-language"
		book   = "book.library.example.com/" + name
	)
	for _, step := range []struct {
		args string
		want string
		fail bool
	}{
		// Client-side apply, by strategic merge patches. Books have a patchStrategy, shelves have
		// none.
		{args: "apply -f " + sample, want: book + " created"},
		{args: "apply -f " + sample, want: book + " unchanged"},
		{args: "apply -f " + moved, want: book + " configured"},
		{args: "apply -f examples/library/samples/shelf-v1.yaml", want: "shelf.library.example.com/programming created"},
		{args: "apply -f test/e2e/testdata/shelf.yaml", want: "shelf.library.example.com/programming configured"},
		{args: "get book " + name + " -o jsonpath={.spec.shelf},{.spec.copies},{.metadata.generation}", want: "cellar,3,2"},
		{args: "label book " + name + " read=yes", want: book + " labeled"},
		{args: "label book " + name + " read=yes", want: book + " not labeled"},
		{args: "annotate book " + name + " note=dog-eared", want: book + " annotated"},
		{args: "get books -l read=yes -o name", want: book},

		// The three kinds of patches.
		{args: "patch book " + name + ` --type=json -p [{"op":"test","path":"/spec/copies","value":3},{"op":"replace","path":"/spec/copies","value":4}]`, want: book + " patched"},
		{args: "patch book " + name + ` --type=json -p [{"op":"test","path":"/spec/copies","value":3}]`, fail: true,
			want: `The Book "` + name + `" is invalid: patch: Invalid value: "[{\"op\":\"test\",\"path\":\"/spec/copies\",\"value\":3}]": testing value /spec/copies failed: test failed`},
		{args: "patch book " + name + ` --type=merge -p {"spec":{"copies":5}}`, want: book + " patched"},
		{args: "patch book " + name + ` --type=merge -p {"spec":{"copies":5}}`, want: book + " patched (no change)"},
		{args: "patch book " + name + ` -p {"status":{"conditions":[{"type":"Lent","status":"True","reason":"Popular","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, want: book + " patched"},
		{args: "patch book " + name + ` -p {"status":{"conditions":[{"type":"Lent","status":"False"}]}}`, want: book + " patched"},
		{args: "get book " + name + " -o jsonpath={.spec.copies},{.status.conditions[*].status},{.status.conditions[*].reason}", want: "5,False,Popular"},
		{args: `patch shelf programming -p {"spec":{"room":"Attic"}}`, want: "shelf.library.example.com/programming patched"},
		{args: `patch shelf programming --type=merge -p {"spec":{"rooom":"Attic"}}`, want: `
Warning: unknown field "spec.rooom"
shelf.library.example.com/programming patched (no change)`},
		{args: `patch shelf programming --type=merge -p {"metadata":{"resourceVersion":"1"}}`, fail: true,
			want: `Error from server (Conflict): Operation cannot be fulfilled on shelves.library.example.com "programming": the object has been modified; please apply your changes to the latest version and try again`},

		// The same in an editor.
		{args: "edit book " + name, want: book + " edited"},
		{args: "get book " + name + " -o jsonpath={.spec.copies}", want: "6"},

		// Server-side apply: who changed the number of copies last is kubectl edit.
		{args: "apply --server-side -f " + moved, fail: true, want: `
error: Apply failed with 1 conflict: conflict with "kubectl-edit" using library.example.com/v1: .spec.copies
` + conflictHelp},
		{args: "apply --server-side --force-conflicts -f " + moved, want: book + " serverside-applied"},
		{args: "apply --server-side -f " + moved, want: book + " serverside-applied"},
		{args: "get book " + name + " -o jsonpath={.spec.copies}", want: "3"},
		{args: "apply --server-side --field-manager=other -f examples/library/samples/shelf-v1.yaml", fail: true, want: `
error: Apply failed with 1 conflict: conflict with "kubectl-patch" using library.example.com/v1: .spec.room
` + conflictHelp},
		{args: "apply --server-side -f examples/library/samples/book-v1alpha1.yaml", want: "book.library.example.com/the-c-programming-language serverside-applied"},
		{args: "diff -f " + moved, want: ""},
		{args: "replace -f " + sample, want: book + " replaced"},

		{args: "delete books --all", want: `
book.library.example.com "the-c-programming-language" deleted from default namespace
book.library.example.com "the-go-programming-language" deleted from default namespace`},
	} {
		out, err := s.edit(t, strings.Fields(step.args)...)
		if (err != nil) != step.fail {
			t.Errorf("kubectl %s: %v\n%s", step.args, err, out)
			continue
		}
		matchLines(t, step.args, strings.TrimSpace(step.want), strings.TrimSpace(out))
	}

	// And what kubectl never sends: all at once.
	if out, err := s.kubectl(t, "create", "-f", "examples/library/samples/book-v1.yaml", "-f", "examples/library/samples/book-v1alpha1.yaml"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const path = "/apis/library.example.com/v1/namespaces/default/books"
	code, body, err := s.do(http.MethodDelete, path+"?fieldSelector=spec.shelf=programming", "", nil)
	if err != nil || code != http.StatusOK || !strings.Contains(string(body), name) {
		t.Errorf("delete a collection: %v, HTTP %d %s", err, code, body)
	}
	if _, body := s.get(path); strings.Contains(string(body), name) {
		t.Errorf("left: %s", body)
	}
}

// conflictHelp is what kubectl says after a conflict.
const conflictHelp = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the ` + "`--force-conflicts`" + ` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
~See https://.*`

// edit is kubectl with an editor that makes six copies of five.
func (s *server) edit(t *testing.T, args ...string) (string, error) {
	t.Helper()
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nexec sed -i 's/copies: 5/copies: 6/' \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(kubectlPath(t), args...)
	cmd.Dir = "../.."
	cmd.Env = append(kubectlEnv(t, s), "KUBE_EDITOR="+editor, "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
