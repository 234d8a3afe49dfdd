package main

import (
	"os"
	"testing"

	"sigs.k8s.io/randfill"

	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/internal/tsc"
)

// wrong are objects that the compiler must refuse.
const wrong = `
import type { Book } from './types'

// @ts-expect-error there is no spec
export const a: Book = {"metadata": {"name": "emma"}}
// @ts-expect-error a title is text
export const b: Book = {"metadata": {}, "spec": {"title": 1}}
// @ts-expect-error there is no such genre
export const c: Book = {"metadata": {}, "spec": {"title": "Emma", "genre": "Crime"}}
// @ts-expect-error there is no such field
export const d: Book = {"metadata": {}, "spec": {"title": "Emma", "shelve": "a"}}
`

// TestTypeScript has the compiler judge random objects, as Go writes them, by the types that gen
// prints.
func TestTypeScript(t *testing.T) {
	types, err := os.ReadFile("docs/v1.ts")
	if err != nil {
		t.Fatal(err)
	}
	genres := []v1.Genre{v1.Fiction, v1.Science, v1.Reference}
	values := tsc.NewValues("./types", 1,
		func(g *v1.Genre, c randfill.Continue) { *g = genres[c.Intn(len(genres))] },
		func(list *[]v1.Book, c randfill.Continue) { *list = make([]v1.Book, 1); c.Fill(&(*list)[0]) },
		func(list *[]v1.Shelf, c randfill.Continue) { *list = make([]v1.Shelf, 1); c.Fill(&(*list)[0]) },
	)
	for range 20 {
		values.Add(t, "Book", new(v1.Book))
		values.Add(t, "BookList", new(v1.BookList))
		values.Add(t, "Loan", new(v1.Loan))
		values.Add(t, "Shelf", new(v1.Shelf))
		values.Add(t, "ShelfList", new(v1.ShelfList))
	}
	files := map[string]string{"types.ts": string(types), "values.ts": values.String(), "wrong.ts": wrong}
	if said := tsc.Check(t, files); said != "" {
		t.Error(said)
	}
}
