package apitest_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/examples/shop"
)

// One server for all tests of a package is started in its TestMain. A test that wants one of its
// own calls Start.
func ExampleNew() {
	server, err := apitest.New(typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	const order = `{"apiVersion":"shop.example.org/v1","kind":"Order","metadata":{"name":"first"},"spec":{"item":"pen"}}`
	resp, err := server.Client.Post(server.URL+"/apis/shop.example.org/v1/namespaces/default/orders", "application/json", strings.NewReader(order))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 201 Created
}
