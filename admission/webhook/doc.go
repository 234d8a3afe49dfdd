// Package webhook asks other programs whether a write may be, and what is to be changed about it:
// the plug-ins MutatingAdmissionWebhook and ValidatingAdmissionWebhook, as Kubernetes has them.
//
// Whom they ask for what is in objects, MutatingWebhookConfigurations and
// ValidatingWebhookConfigurations; whoever follows those gives all of them to Set after every
// change. Start reading at Mutating and Validating. config.go makes hooks of the configurations;
// which of them a request concerns is said by package match, and what they are asked by package
// review. answer.go reads what comes back, client.go is the way there. What happens when nobody
// answers is in outcome.go.
//
// A webhook is a stranger: its answer is bounded in size and time, a redirect is not followed, and
// nothing of an answer that is none is shown to a client. The package keeps no objects, watches
// nothing, and reads no files.
package webhook
