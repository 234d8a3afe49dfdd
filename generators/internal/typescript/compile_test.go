package typescript_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/internal/tsc"
)

// printed are the files that the golden cases want.
func printed(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasPrefix(f.Name, "want/") && strings.HasSuffix(f.Name, ".ts") {
				out[strings.TrimSuffix(filepath.Base(name), ".txtar")+".ts"] = string(f.Data)
			}
		}
	}
	return out
}

// uses are values of what the cases print, with what the compiler must refuse.
const uses = `
import type { Book } from './kinds'
import type { Genre, Holder, Outer, Page, Tree } from './shapes'

export const outer: Outer = { name: 1, id: 'a', port: 80, found: true, named: {} }
export const page: Page<Tree, string> = { items: [{ Left: null, Right: { Left: null, Right: null } }], more: { items: null } }
export const genre: Genre = 'Novel'
export const one: Holder['one'] = { name: 'a', id: 'b', two: [{ three: 3 }] }

export function firstAuthor(book: Book): string | undefined {
  return book.spec.authors?.[0] ?? book.metadata.name
}

// @ts-expect-error its name is that of Outer, not of Base
export const named: Outer = { name: 'a', id: 'a', named: {}, found: true }
// @ts-expect-error there is no such value
export const other: Genre = 'Unsaid'
// @ts-expect-error there is no such field
export const more: Tree = { Left: null, Right: null, Middle: null }
// @ts-expect-error spec is missing
export const book: Book = { metadata: {} }
// @ts-expect-error it may be null
export const authors = (book: Book): string[] => book.spec.authors
`

// TestCompiles has the compiler read what the cases print, and judge values of these types. A value
// that must be wrong and is not is an error, too.
func TestCompiles(t *testing.T) {
	files := printed(t)
	if len(files) < 4 {
		t.Fatalf("%d files", len(files))
	}
	files["uses.ts"] = uses
	if said := tsc.Check(t, files); said != "" {
		t.Error(said)
	}
}
