// Package owners writes into the metadata of an object who owns its fields, as package ownership
// finds it out, for objects of the hub and for documents.
//
// A write never fails because of owners: what can't be tracked is left as it was, with a warning.
package owners
