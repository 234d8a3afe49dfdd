package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// ShelfStrategy holds the rules of shelves.
type ShelfStrategy struct{}

// ValidateUpdate refuses a capacity below the number of books on the shelf.
func (ShelfStrategy) ValidateUpdate(ctx context.Context, shelf, old *v1.Shelf) field.ErrorList {
	if *shelf.Spec.Capacity >= *old.Spec.Capacity {
		return nil
	}
	path := field.NewPath("spec", "capacity")
	books, err := registry.List[*v1.Book](ctx, "", metav1.ListOptions{FieldSelector: "spec.shelf=" + shelf.Name})
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	if len(books) > int(*shelf.Spec.Capacity) {
		return field.ErrorList{field.Invalid(path, *shelf.Spec.Capacity, fmt.Sprintf("%d books are on the shelf", len(books)))}
	}
	return nil
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
