// Package registry serves the objects of one kind out of a store: it is what stands between the
// HTTP verbs and the bytes.
//
// The author of a resource fills a Definition, typed with the hub type of its kind, and hands it to
// Define. The result is a Resource without a type parameter, which a server binds to its Scheme and
// its store:
//
//	form, err := resource.Form(scheme, options)          // how its values lie in the database
//	served, err := resource.Serve(scheme, store, options) // one rest.Resource for each served version
//
// Start reading at Definition and Strategy, then create.go. The order of a request is one function
// for each verb, from top to bottom. It is in the file with the verb's name: create.go, update.go,
// patch.go, delete.go, deletecollection.go, read.go, watch.go. Update and patch meet in replace, in
// update.go; patch_*.go are the types of patches. What a write of a part of an object means, of its
// status or its scale, is in subresource.go. untyped.go drops the type parameter.
//
// What the verbs lean on is below internal, a package for each question. Package canonical makes
// canonical values of stored ones, view writes answers, and selection says which objects a list or
// a watch is about. Package metadata has the rules of what every object has, subresource those of
// bodies of another kind, and patch the types of patches. Package apistatus turns errors into
// statuses. Package owners keeps the record of who set which field.
//
// This package knows no HTTP and no particular backend. All that it returns as an error is an API
// status (k8s.io/apimachinery/pkg/api/errors) or an error of the context.
package registry
