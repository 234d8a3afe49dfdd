// Package replicas is how servers that share a database are one service.
//
// Replicas must agree on who their users are: they need one certificate authority, one key for the
// tokens of service accounts, and one key for what is encrypted. Share keeps these in the database,
// sealed with a secret that every replica is given, so that the same command started twice is one
// service. A Register says which servers run right now and what each of them can read. So a new
// release does not write what an old one that still runs can't read.
//
// Start reading at Share and Register.
package replicas
