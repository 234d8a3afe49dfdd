package main

import (
	"testing"

	"github.com/typeplane/typeplane/internal/amplify"
)

// What a request costs does not grow faster than its body, whatever that is full of. `make amplify`
// sends all there is.
func TestAmplification(t *testing.T) {
	amplify.Run(t, newServer(), amplify.Object{
		Collection: booksPath, Name: "patched", Identity: `"apiVersion":"library.example.com/v1","kind":"Book",`,
		Form: `"spec":{"title":"t","isbn":"978-0-13-468599-1","authors":[%s]}`, Item: `"a%d"`, Stored: 500, Applied: 100,
	}, 15, 512<<10)
}
