package main

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/library/api"
)

// BookStrategy holds the rules of books that their types can't express. The generator finds it by its name, and its
// methods by theirs: registry.Strategy lists them all.
type BookStrategy struct{}

// PrepareForCreate starts the status of a book: all its copies are there to be lent.
func (BookStrategy) PrepareForCreate(_ context.Context, book *api.Book) {
	book.Status = api.BookStatus{}
	if book.Spec.Copies != nil {
		book.Status.Available = *book.Spec.Copies
	}
}

// Validate says what is wrong with a new or changed book, beyond what the tags in api/ say.
func (BookStrategy) Validate(_ context.Context, book *api.Book) field.ErrorList {
	var errs field.ErrorList
	authors := field.NewPath("spec", "authors")
	for i, name := range book.Spec.Authors {
		if name == "" || strings.Contains(name, ";") {
			errs = append(errs, field.Invalid(authors.Index(i), name, "want a name without a semicolon"))
		}
	}
	return errs
}
