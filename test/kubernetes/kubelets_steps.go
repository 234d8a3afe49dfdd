package main

// kubeletSteps are what a user asks of kubelets, through the server.
func kubeletSteps() []step {
	return []step{
		{name: "a pod that is talked to", apply: talker, run: []string{"wait --for=condition=Ready pod/talker"}},
		{name: "a log is read", until: "logs talker", want: "one line\nand another"},
		{name: "the end of a log is read", until: "logs talker --tail=1", want: "and another"},
		{name: "a command runs in a container", until: "exec talker -- echo through the server", want: "through the server"},
		{name: "what a container prints is seen", do: attach},
		{name: "a port is forwarded", do: forward},
		{name: "a kubelet is asked", until: "get --raw /api/v1/nodes/node-0/proxy/healthz", want: "ok"},
		{name: "the cluster says what it is", run: []string{"cluster-info"}, until: "get service kubernetes -o jsonpath={.spec.clusterIP}", want: "10.96.0.1"},
		{name: "the pod goes", run: []string{"delete pod talker"}},
	}
}

const talker = `
apiVersion: v1
kind: Pod
metadata: {name: talker}
spec: {containers: [{name: app, image: "example.com/app:1", ports: [{containerPort: 8080}]}]}
`
