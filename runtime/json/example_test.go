package json_test

import (
	"fmt"

	"github.com/typeplane/typeplane/runtime/json"
)

// A struct is read by a loop over its fields, as gen prints it.
func ExampleReader() {
	r := json.NewReader([]byte(`{"title": "Momo", "pages": "many", "color": "red"}`))
	var title string
	var pages int32
	if !r.BeginObject("v1.Book") {
		return
	}
	var seen uint64
	for r.NextField("v1.Book") {
		switch r.Name() {
		case "title":
			r.Once(&seen, 0)
			r.String(&title)
		case "pages":
			r.Once(&seen, 1)
			r.Int32(&pages)
		default:
			r.Unknown()
		}
	}
	fmt.Println(title)
	fmt.Println(r.Err())
	// Output:
	// Momo
	// json: cannot unmarshal string into Go struct field Book.pages of type int32
}

// A string that is kept keeps no more than a small piece of memory alive, unless the caller wants
// to share.
func ExampleAppendString() {
	fmt.Println(string(json.AppendString(nil, "a < b\n")))
	// Output: "a \u003c b\n"
}
