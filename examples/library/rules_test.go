package main

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

// What the tags of the types say is part of what the server checks.
func TestBookRules(t *testing.T) {
	none := int32(-1)
	isbn := v1.Book{Spec: v1.BookSpec{Title: "T", ISBN: "0-13-110362-8"}}
	for _, tc := range []struct {
		name string
		book v1.BookSpec
		old  *v1.Book
		want []string
	}{
		{name: "good", book: v1.BookSpec{Title: "T", ISBN: "978-0-13-419044-0", Genre: v1.Science, Shelf: "programming"}},
		{name: "empty", want: []string{"spec.title: Required value"}},
		{name: "bad", book: v1.BookSpec{Title: "T", ISBN: "12", Genre: "Poetry", Copies: &none, Shelf: "No Shelf"}, want: []string{
			"spec.isbn: Invalid value", "spec.genre: Unsupported value", "spec.copies: Invalid value", "spec.shelf: Invalid value",
		}},
		{name: "another number", book: v1.BookSpec{Title: "T", ISBN: "978-0-13-419044-0"}, old: &isbn, want: []string{"spec.isbn: Invalid value"}},
		{name: "another title", book: v1.BookSpec{Title: "U", ISBN: isbn.Spec.ISBN}, old: &isbn},
	} {
		op := operation.Operation{Type: operation.Create}
		if tc.old != nil {
			op.Type = operation.Update
		}
		var got []string
		for _, err := range v1.Validate_Book(context.Background(), op, nil, &v1.Book{Spec: tc.book}, tc.old) {
			got = append(got, err.Field+": "+err.Type.String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
