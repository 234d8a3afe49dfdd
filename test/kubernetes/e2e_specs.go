package main

// focusE2E are the groups of tests that are run.
const focusE2E = `\[sig-(api-machinery|auth)\]`

// leftOut are tests that are not run, on neither side.
var leftOut = []expectation{
	expect(`\[Disruptive\]|\[Flaky\]|\[Slow\]`, "they break the cluster, fail at random, or take long"),
	expect(`\[Feature:OffByDefault\]`, "they want what no cluster has that did not ask for it"),
	expect(`AdmissionWebhook|CustomResourceConversionWebhook|Sample API Server|sample-apiserver|Aggregated APIServer`, "a server runs in a pod: KWOK runs no containers"),
	expect(`ServiceAccounts should (mount|allow opting out|set ownership|support InClusterConfig)|ServiceAccountIssuerDiscovery`, "a container reads files"),
	expect(`Projected PodCertificate|ClusterTrustBundleProjection|NodeAuthenticator|NodeAuthorizer|can restrict access by-node`, "a kubelet or a container takes part"),
}

// onlyThere are tests that pass on kube-apiserver and not on ours, with the reason.
var onlyThere = []expectation{
	expect(`CustomResource|CRD|custom resource|Custom resource|\bCRs?\b`, "custom resources are not served: kinds are Go types"),
}
