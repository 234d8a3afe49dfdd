// Package database opens what the objects of a server are kept in, and knows what lies there.
//
// Open is for a server and Attach for a command. Both return a Database, which gives each resource
// its store. Kinds says in which form the values of each resource are. Before a server serves, a
// Relocation moves objects to the keys that they have now, and CheckVersions refuses versions that
// the program has not.
package database
