// Package ownership keeps metadata.managedFields: who owns which field of an object.
//
// Tracker.Update is for every write but an apply patch. It compares the old and the new object by
// the functions that gen prints (package runtime/fieldset), and takes what differs from all other
// managers. It reads no schema, and of managedFields no more than it has to change. Tracker.Apply
// is for apply patches. It works on trees of JSON, by types that are made of the OpenAPI schemas
// (package tree). These are read for the first such patch, or for kinds that gen has printed no
// functions for. What both do is defined by apimachinery's managedfields, which no program links: a
// random test compares them with it (package registry/ownershiptest).
//
// Update leaves one thing to the next apply patch: if a list or map has become atomic since
// somebody wrote below it, that entry is put right then.
//
// Start reading at New and Tracker. The package knows no requests and no store.
package ownership
