package main

// difference is a check that does not hold, and is not meant to.
type difference struct {
	client, check string
	says          string // what the client is told has this in it
	reason        string // a sentence for the page
}

// differences is all that is known to differ from a cluster of Kubernetes.
var differences = []difference{
	{"helm", "wait: follows a deployment until its pods are ready", "Deployment/shops/slow-web not ready. status: Unknown",
		"helm looks at the replica sets of a deployment, which examples/cluster does not serve."},
	{"python3-kubernetes", "subresources: an eviction of a pod", "404",
		"examples/cluster does not serve evictions: no disruption budgets, and nobody who drains nodes."},
	{"client-node", "subresources: run a command in a container", "404",
		"examples/cluster runs no containers. It keeps a console for each, which can be attached to."},
}

// find returns what is known of a check, or nil.
func find(known []difference, client, check string) *difference {
	for i := range known {
		if known[i].client == client && known[i].check == check {
			return &known[i]
		}
	}
	return nil
}
