// Package lift takes the API packages of other projects as they were released, and has gen make a
// server of them. It compares the server with their CustomResourceDefinitions: what is served,
// which of the projects' own examples are accepted, and, field by field, what is refused and what
// is stored. The other side is k8s.io/apiextensions-apiserver, in this process.
//
// Nothing of a project is changed. Its packages are copied into a module of the same name, or
// imported and served by aliases.
//
// Start reading at TestLift. repositories.go has what is lifted, module.go makes the module,
// server.go builds and asks the server, and oracle.go asks the definitions. made.go makes an object
// where a project has no example, and mutate.go makes a document wrong. differences.go lists where
// the two may differ, and why.
package lift
