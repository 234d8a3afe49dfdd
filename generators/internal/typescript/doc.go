// Package typescript is the plug-in for the types of an API in TypeScript, for pages and programs
// that speak to its server.
//
// A package that says +typeplane:typescript asks for a file. It has the types of the package, those
// of the API packages below it, and all that these are made of, as they look in JSON. A type of Go
// is an interface or a type of the same name; where two packages have one name, the packages are
// put in front. A type whose JSON is written by its own code is unknown, unless a marker says what
// it is, or it is one of Kubernetes' that are known here.
//
// Start reading at Plugin. The plan is data: declarations, and expressions that name Go types. How
// those are called is decided when all of them are known (plan_names.go).
package typescript
