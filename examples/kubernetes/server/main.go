// Command kubernetes is the API server of a cluster of Kubernetes, with admission policies.
package main

import (
	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/examples/kubernetes"
	"github.com/typeplane/typeplane/policy"
)

func main() { typeplane.Main(kubernetes.Program(policy.Extras())) }
