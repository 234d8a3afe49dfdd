package main

// focusE2E are the groups of tests that are run.
const focusE2E = `\[sig-(api-machinery|auth)\]`

// leftOut are tests that are not run, on neither side.
var leftOut = []expectation{
	expect(`\[Disruptive\]|\[Flaky\]|\[Slow\]`, "they break the cluster, fail at random, or take long"),
	expect(`\[Feature:OffByDefault\]`, "they want what no cluster has that did not ask for it"),
	expect(`AdmissionWebhook|CustomResourceConversionWebhook|Sample API Server|sample-apiserver|Aggregated APIServer`, "a server runs in a pod: KWOK runs no containers"),
	expect(`ServiceAccounts should (mount|allow opting out|set ownership|support InClusterConfig)|ServiceAccountIssuerDiscovery`, "a container reads files"),
	expect(`CustomResource|CRD|[Cc]ustom [Rr]esource|a CR |\bCRs?\b`, "custom resources: here kinds are Go types"),
	expect(`Projected PodCertificate|ClusterTrustBundleProjection|NodeAuthenticator|NodeAuthorizer|can restrict access by-node`, "a kubelet or a container takes part"),
}

// onlyThere are tests that pass on kube-apiserver and not on ours, with the reason.
var onlyThere = []expectation{
	expect(`AggregatedDiscovery should|Discovery should locate the groupVersion`, "they look for the kind of custom resources, too"),
	expect(`health handlers should contain necessary checks`, "they want the names of kube-apiserver's own parts"),
	expect(`apply changes to a resourcequota status`, "the status of a quota is what is counted, whatever somebody writes"),
	expect(`requests can be classified by adding FlowSchema`, "the request is for /version, which needs no seat here"),
}
