package v1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/conversion"

	"github.com/typeplane/typeplane/examples/library/api"
)

// The generator converts every field that has the same name and a like type on both sides. It asks
// for these two functions because author has become authors.

// Convert_v1alpha1_BookSpec_To_api_BookSpec splits the line of authors.
func Convert_v1alpha1_BookSpec_To_api_BookSpec(in *BookSpec, out *api.BookSpec, s conversion.Scope) error {
	if in.Author != "" {
		out.Authors = strings.Split(in.Author, "; ")
	}
	return autoConvert_v1alpha1_BookSpec_To_api_BookSpec(in, out, s)
}

// Convert_api_BookSpec_To_v1alpha1_BookSpec joins the list of authors. Nothing is lost: no name
// holds a semicolon.
func Convert_api_BookSpec_To_v1alpha1_BookSpec(in *api.BookSpec, out *BookSpec, s conversion.Scope) error {
	out.Author = strings.Join(in.Authors, "; ")
	return autoConvert_api_BookSpec_To_v1alpha1_BookSpec(in, out, s)
}
