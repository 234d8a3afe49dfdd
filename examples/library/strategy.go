package main

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/library/api"
	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
)

// BookStrategy holds the rules of books that their types can't express. The generator finds it by
// its name, and its methods by theirs: registry.Strategy lists them all.
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
	for i, name := range rest.WhileFew(&errs, slices.All(book.Spec.Authors)) {
		if name == "" || strings.Contains(name, ";") {
			errs = append(errs, field.Invalid(authors.Index(i), name, "want a name without a semicolon"))
		}
	}
	return errs
}

// Lend answers POST …/books/{name}/lend: one copy less is available.
func (BookStrategy) Lend(ctx context.Context, of *registry.Parent[*api.Book], loan *v1.Loan) (*v1.Loan, error) {
	book, err := of.Update(ctx, func(book *api.Book) error {
		if book.Spec.Genre == string(v1.Reference) {
			return field.Forbidden(field.NewPath("reader"), "a reference book never leaves the house")
		}
		if book.Status.Available == 0 {
			return apierrors.NewTooManyRequests("all copies are lent", 0)
		}
		book.Status.Available--
		return nil
	})
	if err != nil {
		return nil, err
	}
	loan.Left = book.Status.Available
	return loan, nil
}
