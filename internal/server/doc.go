// Package server speaks the HTTP of a Kubernetes-style API: it turns requests into calls of the
// verbs of rest.Resource, and what they return into bytes.
//
// A Server is an http.Handler. It is made of a list of resources, a Scheme that decodes bodies,
// schemas, and an authorizer. Start reading at ServeHTTP in process.go, which is the order of a
// request from top to bottom. After it comes route.go, then one file for each verb (get.go,
// list.go, watch.go, create.go, update.go, patch.go, delete.go, deletecollection.go). Documents
// that never change (discovery, OpenAPI) are built once, in New.
//
// Two packages below have what is not about one request: transport the connections, and pacing the
// order in which short and long work goes on.
//
// This package never stores anything, knows no storage and converts no objects: a rest.View writes
// itself.
package server
