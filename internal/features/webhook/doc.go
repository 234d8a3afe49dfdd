// Package webhook has the configurations of admission webhooks, and the plug-ins that call
// webhooks. MutatingAdmissionWebhook asks other programs what to change about a write,
// ValidatingAdmissionWebhook whether it may be.
//
// Start reading at API, in plugins.go, and then at Mutating and Validating. The kinds are in the
// folder below, strategy.go has their rules. The plug-ins follow all configurations and give them
// to Set after every change; config.go makes hooks of them. Package match says which hooks a
// request concerns, and package review what they are asked. answer.go reads what comes back,
// client.go is the way there. What happens when nobody answers is in outcome.go.
//
// A webhook is not trusted. Its answer is bounded in size and time, and a redirect is not followed.
// Nothing of a malformed answer is shown to a client.
//
// +typeplane:apiserver
package webhook
