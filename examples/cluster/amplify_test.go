package main

import (
	"testing"

	"github.com/typeplane/typeplane/internal/amplify"
)

// What a request costs does not grow faster than its body, whatever that is full of. `make amplify`
// sends all there is.
func TestAmplification(t *testing.T) {
	amplify.Run(t, program(), amplify.Object{
		Collection: "/api/v1/namespaces/default/pods", Name: "patched", Identity: `"apiVersion":"v1","kind":"Pod",`,
		Form: `"spec":{"containers":[%s]}`, Item: `{"name":"c%d","image":"b"}`, Stored: 700 << 10, Applied: 3_900,
	}, 15, 512<<10)
}
