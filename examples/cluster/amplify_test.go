package main

import (
	"testing"

	"github.com/typeplane/typeplane/internal/amplify"
)

// What a request costs does not grow faster than its body, whatever that is full of. `make amplify` sends all there is.
func TestAmplification(t *testing.T) {
	amplify.Run(t, program(), amplify.Object{
		Collection: "/api/v1/namespaces/default/pods", Name: "patched", Identity: `"apiVersion":"v1","kind":"Pod",`,
		YAML: "apiVersion: v1\nkind: Pod\nmetadata: {name: patched}\nspec: {containers: [{name: a, image: b}]}\n",
	}, 15, 512<<10)
}
