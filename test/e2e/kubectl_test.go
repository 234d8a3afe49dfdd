package e2e

import (
	"bufio"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKubectl is a user's first hour: each step is a command of a stock kubectl and what it must
// print. Lines that begin with ~ are regular expressions, since they hold times.
func TestKubectl(t *testing.T) {
	for _, cache := range []string{"--watch-cache=true", "--watch-cache=false"} {
		t.Run(cache, func(t *testing.T) { firstHour(t, cache) })
	}
}

func firstHour(t *testing.T, args ...string) {
	s := startProgram(t, "library", t.TempDir(), args...)
	defer s.stop(syscall.SIGTERM)
	for _, step := range []struct {
		args string
		want string
		fail bool
	}{
		{args: "get books", want: "No resources found in default namespace."},
		{args: "create -f examples/library/samples/", want: `
book.library.example.com/the-go-programming-language created
book.library.example.com/the-c-programming-language created
shelf.library.example.com/programming created`},
		{args: "get books", want: `
NAME                          TITLE                         COPIES   AVAILABLE   AGE
~the-c-programming-language    The C Programming Language    1        1           \d+s
~the-go-programming-language   The Go Programming Language   2        2           \d+s`},
		{args: "get books -o wide --sort-by=.spec.copies", want: `
NAME                          TITLE                         COPIES   AVAILABLE   AGE   AUTHORS                                 SHELF         REASON
~the-c-programming-language    The C Programming Language    1        1           \d+s +Brian W. Kernighan,Dennis M. Ritchie    programming
~the-go-programming-language   The Go Programming Language   2        2           \d+s +Alan A. A. Donovan,Brian W. Kernighan   programming`},
		{args: "get shelf -A --show-labels --show-kind", want: `
NAME                                    ROOM                 CAPACITY   AGE   LABELS
~shelf.library.example.com/programming   Second floor, west   120        \d+s +<none>`},
		{args: "get rooms", want: `
NAME                SHELVES   CAPACITY   BOOKS
second-floor-west   1         120        2`},
		{args: "get books.v1alpha1.library.example.com --no-headers --chunk-size=1", want: `
~the-c-programming-language    \d+s
~the-go-programming-language   \d+s`},
		{args: "get bk the-go-programming-language -o yaml", want: `
apiVersion: library.example.com/v1
kind: Book
metadata:
~  creationTimestamp: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
  generation: 1
  name: the-go-programming-language
  namespace: default
~  resourceVersion: "\d+"
~  uid: [0-9a-f-]{36}
spec:
  authors:
  - Alan A. A. Donovan
  - Brian W. Kernighan
  copies: 2
  genre: Science
  isbn: 978-0-13-419044-0
  shelf: programming
  sortTitle: Go Programming Language
  title: The Go Programming Language
status:
  available: 2`},
		{args: "get books.v1alpha1.library.example.com the-go-programming-language -o jsonpath={.apiVersion},{.spec.author}", want: `library.example.com/v1alpha1,Alan A. A. Donovan; Brian W. Kernighan`},
		{args: "get books the-c-programming-language -o jsonpath={.spec.authors[1]},{.spec.copies}", want: `Dennis M. Ritchie,1`},
		{args: "get books --field-selector spec.isbn=0-13-110362-8 -o name", want: `book.library.example.com/the-c-programming-language`},
		{args: "get books --field-selector spec.title=x", fail: true, want: `Error from server (BadRequest): Unable to find "library.example.com/v1, Resource=books" that match label selector "", field selector "spec.title=x": field label not supported: spec.title`},
		{args: "get shelves -o name", want: "shelf.library.example.com/programming"},
		{args: "get library -A -o name", want: `
book.library.example.com/the-c-programming-language
book.library.example.com/the-go-programming-language`},
		{args: "api-resources --api-group=library.example.com", want: `
NAME      SHORTNAMES   APIVERSION               NAMESPACED   KIND
books     bk           library.example.com/v1   true         Book
rooms                  library.example.com/v1   false        Room
shelves                library.example.com/v1   false        Shelf`},
		{args: "api-versions", want: `
auth.typeplane.io/v1alpha1
authentication.k8s.io/v1
authorization.k8s.io/v1
certificates.k8s.io/v1
coordination.k8s.io/v1
events.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1
library.example.com/v1
library.example.com/v1alpha1
rbac.authorization.k8s.io/v1
v1`},
		{args: "explain book.spec.copies", want: `
GROUP:      library.example.com
KIND:       Book
VERSION:    v1

FIELD: copies <integer>


DESCRIPTION:
    copies is how many of the book the library owns.`},
		{args: "explain book.spec.copies --output plaintext-openapiv2", want: `
KIND:     Book
VERSION:  library.example.com/v1

FIELD:    copies <integer>

DESCRIPTION:
     copies is how many of the book the library owns.`},
		{args: "create -f examples/library/samples/shelf-v1.yaml", fail: true, want: `Error from server (AlreadyExists): error when creating "examples/library/samples/shelf-v1.yaml": shelves.library.example.com "programming" already exists`},
		{args: "create -f test/e2e/testdata/bad-book.yaml", fail: true, want: `The Book "bad" is invalid: spec.title: Required value`},
		{args: "replace -f test/e2e/testdata/shelf.yaml", want: "shelf.library.example.com/programming replaced"},
		{args: "get shelf programming -o jsonpath={.metadata.generation},{.spec.room}", want: "2,Cellar"},
		{args: "delete book the-c-programming-language", want: `book.library.example.com "the-c-programming-language" deleted from default namespace`},
		{args: "get book the-c-programming-language", fail: true, want: `Error from server (NotFound): books.library.example.com "the-c-programming-language" not found`},
		{args: "delete -f examples/library/samples/shelf-v1.yaml", want: `shelf.library.example.com "programming" deleted`},
	} {
		out, err := s.kubectl(t, strings.Fields(step.args)...)
		if (err != nil) != step.fail {
			t.Errorf("kubectl %s: %v\n%s", step.args, err, out)
			continue
		}
		matchLines(t, step.args, strings.TrimSpace(step.want), strings.TrimSpace(out))
	}
}

func matchLines(t *testing.T, args, want, got string) {
	t.Helper()
	wanted, lines := strings.Split(want, "\n"), strings.Split(got, "\n")
	ok := len(wanted) == len(lines)
	for i := 0; ok && i < len(lines); i++ {
		if pattern, isPattern := strings.CutPrefix(wanted[i], "~"); isPattern {
			ok = regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimRight(lines[i], " "))
			continue
		}
		ok = strings.TrimRight(wanted[i], " ") == strings.TrimRight(lines[i], " ")
	}
	if !ok {
		t.Errorf("kubectl %s prints\n%s\nwant\n%s", args, got, want)
	}
}

// TestKubectlWatch sees changes arrive while `kubectl get -w` runs: the columns once, then a row
// for each. The first row, of what was there before, says that it runs.
func TestKubectlWatch(t *testing.T) {
	s := start(t, t.TempDir())
	defer s.stop(syscall.SIGTERM)
	run := func(args string) {
		t.Helper()
		if out, err := s.kubectl(t, strings.Fields(args)...); err != nil {
			t.Fatalf("kubectl %s: %v\n%s", args, err, out)
		}
	}
	run("create -f examples/library/samples/book-v1alpha1.yaml")
	cmd := exec.Command(kubectlPath(t), "get", "books", "--watch", "--output-watch-events")
	cmd.Env = kubectlEnv(t, s)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	prints := func(wants ...string) {
		t.Helper()
		for _, want := range wants {
			select {
			case line := <-lines:
				if !regexp.MustCompile("^" + want + " *$").MatchString(line) {
					t.Errorf("the watch prints %q, want %s", line, want)
				}
			case <-time.After(hangs):
				t.Fatalf("no line after %v:\n%s", hangs, s.output)
			}
		}
	}
	prints(`EVENT +NAME +TITLE +COPIES +AVAILABLE +AGE`, `ADDED +the-c-programming-language +The C Programming Language +1 +1 +\d+s`)
	run("create -f examples/library/samples/book-v1.yaml")
	run("delete book the-go-programming-language")
	prints(`ADDED +the-go-programming-language +The Go Programming Language +2 +2 +\d+s`,
		`DELETED +the-go-programming-language +The Go Programming Language +2 +2 +\d+s`)
}
