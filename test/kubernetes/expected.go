package main

import "regexp"

// expectation is a refusal or a complaint that a cluster with a kube-apiserver has, too, or that is
// our doing, with the reason.
type expectation struct {
	like   *regexp.Regexp
	reason string
}

func expect(like, reason string) expectation { return expectation{regexp.MustCompile(like), reason} }

var expectedRefusals = []expectation{
	expect(`^409 (update|delete) .*: Operation cannot be fulfilled`, "two controllers write one object, and the second one reads it again"),
	expect(`^404 (update|delete|patch|create pods/(binding|eviction)) .* not found$`, "a controller or kubectl writes what was deleted since it has looked"),
	expect(`^404 get `, "a controller or kubectl looks whether something is there"),
	expect(`^403 create pods by kube-controller-manager.* exceeded quota: few`, "the quota of the step allows two pods of four"),
	expect(`^403 create .*/namespaces/other/`, "controllers make what a namespace has while it is on its way out"),
	expect(`^403 get pods/(exec|attach) by kubectl`, "kubectl tries a WebSocket first, which this kubelet does not know, and goes on with SPDY"),
	expect(`^422 create pods by kubectl.* ValidatingAdmissionPolicy 'no-latest'`, "the policy of the step refuses the pod"),
	expect(`^400 update coordination.k8s.io/leases .* client disconnected$`, "the programs are being stopped"),
	expect(`^409 create events.k8s.io/events by kube-scheduler.* already exists$`, "the scheduler sees an event again before its create is answered, and creates it twice"),
	expect(`^409 create pods by kube-controller-manager.* pods "db-\d+" already exists$`, "the loop of stateful sets creates a pod again that its cache has not seen yet (once, v1.35.4 with 50 nodes)"),
	expect(`^429 create pods/eviction by kubectl`, "kubectl drain waits for the disruption budget"),
}

var expectedComplaints = []expectation{
	expect(`The manifest file is empty, ignoring`, "said at each start without a file of admission manifests"),
	expect(`read version: # is not as new as written version`, "a controller waits for its cache to see its own write"),
	expect(`Operation cannot be fulfilled`, "see the 409 above"),
	expect(`Error syncing StatefulSet, requeuing" err="pods \\?"db-#\\?" already exists`, "see the 409 above"),
	expect(`(pods|replicasets.apps|statefulsets.apps) \\?"[^"]*" not found`, "see the 404 above"),
	expect(`is forbidden: exceeded quota: few`, "see the 403 above"),
	expect(`because it is being terminated`, "see the 403 above"),
	expect(`skipping Pod .* Node node-# Not Found|had negative ref count`, "a node was deleted before its pods, as the step wants it"),
	expect(`EndpointSlice informer cache is out of date`, "the watch has not brought the slice that the controller has just written; the pods of a node that is gone use up its retries"),
	expect(`Error getting updated StatefulSet from lister`, "the set has gone while its status is written, see the 404 above"),
	expect(`found no controllers for pod`, "a replica set goes before its pods"),
	expect(`Status after running PostFilter plugins for pod.*status="not found"`, "a pod waits for its volume: plug-in DynamicResources reads a state that was not made"),
	expect(`unable to upgrade websocket connection|query parameter \\"port\\" is required`, "kubectl tries WebSockets first, see the 403 above"),
	expect(`error attaching to container: context cancelled`, "kubectl attach was ended by the step"),
	expect(`"msg":"Failed to run server".*"err":"context canceled"`, "KWOK is being stopped"),
	expect(`Unable to record event \(will not retry!\)|Failed to release lease|broadcaster already stopped`, "the programs are being stopped"),
}
