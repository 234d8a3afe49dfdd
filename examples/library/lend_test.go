package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/examples/library/api"
	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/registry"
)

// post sends JSON to a path of the library, and returns the code and the body of the answer.
func post(t *testing.T, server *apitest.Server, path, body string) (int, string) {
	t.Helper()
	resp, err := server.Client.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(answer)
}

// However many ask at the same time, no copy is lent twice.
func TestEachCopyIsLentOnce(t *testing.T) {
	const readers = 12
	server := apitest.Start(t, newServer())
	if code, answer := post(t, server, books, `{"metadata":{"name":"dune"},"spec":{"title":"Dune","copies":5}}`); code != http.StatusCreated {
		t.Fatal(code, answer)
	}
	type answer struct {
		code int
		loan v1.Loan
	}
	answers := make(chan answer)
	for range readers {
		go func() {
			code, body := post(t, server, books+"/dune/lend", `{"reader":"Ann"}`)
			a := answer{code: code}
			_ = json.Unmarshal([]byte(body), &a.loan) // a Status is no loan
			answers <- a
		}()
	}
	var left []int32
	for range readers {
		switch a := <-answers; a.code {
		case http.StatusCreated:
			left = append(left, a.loan.Left)
		case http.StatusTooManyRequests:
		default:
			t.Errorf("%d %+v", a.code, a.loan)
		}
	}
	slices.Sort(left)
	if want := []int32{0, 1, 2, 3, 4}; !slices.Equal(left, want) {
		t.Errorf("%d copies were lent, with %v left, want %v", len(left), left, want)
	}
}

// An author's function is tested like any other.
func TestReferenceBooksStay(t *testing.T) {
	book := &api.Book{Spec: api.BookSpec{Genre: string(v1.Reference)}, Status: api.BookStatus{Available: 1}}
	_, err := BookStrategy{}.Lend(context.Background(), &registry.Parent[*api.Book]{Object: book}, &v1.Loan{Reader: "Ann"})
	if err == nil || !strings.Contains(err.Error(), "never leaves the house") || book.Status.Available != 1 {
		t.Errorf("%v, %d are left", err, book.Status.Available)
	}
}

// What the tags of a type find, and what the strategy finds, is said at once.
func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	server := apitest.Start(t, newServer())
	code, answer := post(t, server, books, `{"metadata":{"name":"dune","labels":{"a":"-"}},"spec":{"isbn":"12","authors":["a;b"]}}`)
	var status metav1.Status
	if err := json.Unmarshal([]byte(answer), &status); err != nil || code != http.StatusUnprocessableEntity || status.Details == nil {
		t.Fatalf("%d %v: %s", code, err, answer)
	}
	var fields []string
	for _, cause := range status.Details.Causes {
		fields = append(fields, cause.Field)
	}
	if want := []string{"metadata.labels", "spec.title", "spec.isbn", "spec.authors[0]"}; !slices.Equal(fields, want) {
		t.Errorf("%q, want %q", fields, want)
	}
}
