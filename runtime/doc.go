// Package runtime is the object model of a server: which kinds there are, in which versions, how
// they are made, defaulted and converted.
//
// A server declares its kinds once, with a Builder, and gets a Scheme that never changes
// afterwards:
//
//	b := runtime.NewBuilder()
//	book := runtime.AddHub(b, schema.GroupKind{Group: "library.example.com", Kind: "Book"}, func() *api.Book { return new(api.Book) })
//	runtime.AddVersion(book, runtime.Version[*v1.Book, *api.Book]{ … })
//	scheme, err := b.Build()
//
// Every version converts to and from one hub type; a hub may have versions in several groups.
// Nothing reflects after Build: a Kind holds plain functions, which the generics of AddVersion made
// from typed ones.
//
// Start reading at Builder, then Kind and Scheme. The folders below: wire (bytes of the protobuf
// envelope and of ObjectMeta, without any Go type) and serializer (JSON, YAML, protobuf). This
// package knows no HTTP and no storage, and uses only the types of k8s.io/apimachinery, never its
// Scheme.
package runtime
