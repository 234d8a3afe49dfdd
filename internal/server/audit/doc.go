// Package audit keeps a record of who did what: events of audit.k8s.io/v1, one JSON object in each
// line.
//
// A Policy, in Kubernetes' file format, says how much of a request is kept: the first rule that
// matches decides. Package server begins a Record when it knows who asks, adds what it learns, and
// emits it once or twice. A Log writes the lines, from a goroutine of its own, to a file that is
// rotated or to the standard output.
//
// The bodies of Secrets, ConfigMaps, TokenReviews and of requests for tokens are kept only where a
// rule names these resources: a rule for everything does not reach them. (Kubernetes has no such
// exception, and each example of a policy begins with a rule that makes one.) Credentials are never
// kept: headers are not part of an event.
//
// When the disk is full or stdout is not read, the Log holds up to 16 MiB of lines. Once these are
// full, events are dropped and counted (apiserver_audit_error_total), and requests are answered
// anyway. One request in all waits, for a tenth of a second, until the writer moves again. Nothing
// of a line is lost when the disk has room again. Start reading at Log.
package audit
