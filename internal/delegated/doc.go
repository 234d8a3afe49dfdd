// Package delegated asks another server who sends a request and whether they may have it.
//
// It is for a server behind kube-apiserver's aggregator, which does not know the users itself.
// Tokens asks with a TokenReview whose a bearer token is. Access asks with a SubjectAccessReview
// what a user may do. Cluster reads from a ConfigMap which front proxies and client certificates
// the cluster trusts. A stand-alone server asks webhooks in the same words: there Tokens and Access
// post to the URL of a file and not to the paths of an API.
//
// All of them are authenticators and authorizers of package auth, over one Client. Start reading at
// client.go; config.go says whom a Client talks to, cache.go what is remembered. An answer is
// remembered for seconds, whichever it is; that there was none is never remembered and never a yes.
// This package decides nothing by itself and reads no flags.
package delegated
