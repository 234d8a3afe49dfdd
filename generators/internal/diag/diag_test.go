package diag_test

import (
	"go/token"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/diag"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	var r diag.Report
	r.Add(diag.Problem{Pos: at("b.go", 2, 1), Message: "second file"})
	r.Add(diag.Problem{Pos: at("a.go", 10, 1), Path: "Book.Spec", Message: "wrong", Cure: "mend it"})
	r.Add(diag.Problem{Pos: at("a.go", 9, 5), Message: "before"})
	r.Add(diag.Problem{Pos: at("a.go", 10, 1), Path: "Book.Spec", Message: "wrong", Cure: "mend it"})
	r.Add(diag.Problem{Message: "no place"})
	r.Add(diag.Problem{Pos: token.Position{Filename: "dir"}, Message: "a folder"})
	var got []string
	for _, p := range r.Problems() {
		got = append(got, p.String())
	}
	want := []string{
		"no place",
		"a.go:9:5: before",
		"a.go:10:1: Book.Spec: wrong; mend it",
		"b.go:2:1: second file",
		"dir: a folder",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
