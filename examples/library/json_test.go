package main

import (
	"testing"

	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/examples/library/api/v1alpha1"
	"github.com/typeplane/typeplane/runtime/json/jsontest"
)

// TestJSON compares the generated JSON functions with encoding/json and sigs.k8s.io/json.
func TestJSON(t *testing.T) {
	jsontest.Functions[v1.Book]{Append: v1.AppendJSON_Book, Read: v1.ReadJSON_Book}.Run(t, 1, 200)
	jsontest.Functions[v1.BookList]{Append: v1.AppendJSON_BookList, Read: v1.ReadJSON_BookList}.Run(t, 2, 50)
	jsontest.Functions[v1.Shelf]{Append: v1.AppendJSON_Shelf, Read: v1.ReadJSON_Shelf}.Run(t, 3, 200)
	jsontest.Functions[v1.ShelfList]{Append: v1.AppendJSON_ShelfList, Read: v1.ReadJSON_ShelfList}.Run(t, 4, 50)
	jsontest.Functions[v1alpha1.Book]{Append: v1alpha1.AppendJSON_Book, Read: v1alpha1.ReadJSON_Book}.Run(t, 5, 200)
	jsontest.Functions[v1alpha1.BookList]{Append: v1alpha1.AppendJSON_BookList, Read: v1alpha1.ReadJSON_BookList}.Run(t, 6, 50)
}
