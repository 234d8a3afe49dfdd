// Package apistatus turns errors into what clients read: statuses of the API.
//
// It is the one border between the two. Of is for errors of a store, OfAuthor for those of
// functions that the author of a kind has written. What is an API status already, or the context's
// error, is returned as it is.
package apistatus
