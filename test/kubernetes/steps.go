package main

import (
	"fmt"
	"slices"
	"strings"
)

// steps are what is asked of a cluster, in this order.
func steps(nodes, pods int) []step {
	all := func(s string, n int) string { return strings.TrimSpace(strings.Repeat(s+" ", n)) }
	return slices.Concat([]step{
		{
			name: fmt.Sprintf("%d nodes become ready", nodes), apply: nodesYAML(nodes),
			run: []string{"wait --for=condition=Ready node --all"},
		},
		{
			name: fmt.Sprintf("a deployment of %d pods is available", pods), apply: fmt.Sprintf(deployment, pods),
			run: []string{"rollout status deployment/web"},
		},
		{
			name:  "a service has addresses and endpoints",
			run:   []string{"expose deployment/web --port=80 --target-port=8080"},
			until: `get endpointslices -l kubernetes.io/service-name=web -o jsonpath={range.items[*].endpoints[*]}{.conditions.ready}{"\n"}{end}`,
			want:  strings.ReplaceAll(all("true", pods), " ", "\n"),
		},
		{name: "a new image rolls out", run: []string{"set image deployment/web app=example.com/app:2", "rollout status deployment/web"}},
		{name: "undo rolls back", run: []string{"rollout undo deployment/web", "rollout status deployment/web"}, until: "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}", want: "example.com/app:1"},
		{name: "rollout history", run: []string{"rollout history deployment/web", "rollout restart deployment/web", "rollout status deployment/web"}},
		{name: "scale down", run: []string{fmt.Sprintf("scale deployment/web --replicas=%d", pods/2), "rollout status deployment/web"}, until: "get deployment web -o jsonpath={.status.replicas}", want: fmt.Sprint(pods / 2)},
		{
			name: "a disruption budget is counted", apply: budget,
			until: "get pdb web -o jsonpath={.status.expectedPods}", want: fmt.Sprint(pods / 2),
		},
		{
			name:  "a node is drained",
			run:   []string{"drain node-0 --ignore-daemonsets --delete-emptydir-data"},
			until: "get pods --field-selector spec.nodeName=node-0 -o name", want: "",
		},
		{name: "a node is uncordoned", run: []string{"uncordon node-0", "rollout status deployment/web"}},
		{name: "a daemon set has a pod on each node", apply: daemonSet, run: []string{"rollout status daemonset/agent"}, until: "get daemonset agent -o jsonpath={.status.numberReady}", want: fmt.Sprint(nodes)},
		{name: "a stateful set has its pods in order, with volumes", apply: statefulSet, run: []string{"rollout status statefulset/db"}, until: "get pods -l app=db -o jsonpath={.items[*].metadata.name}", want: "db-0 db-1 db-2"},
		{name: "a job completes", apply: job, run: []string{"wait --for=condition=Complete job/once"}},
		{name: "a cron job makes jobs", apply: cronJob, run: []string{"create job now --from=cronjob/often", "wait --for=condition=Complete job/now"}},
		{name: "a pod with a higher priority is told from others", apply: priority, until: "get pod urgent -o jsonpath={.spec.priority}/{.status.phase}", want: "1000/Running"},
		{
			name: "pods fill all nodes", apply: fmt.Sprintf(preemption, nodes),
			run:   []string{"rollout status deployment/filler"},
			until: "get deployment filler -o jsonpath={.status.availableReplicas}", want: fmt.Sprint(nodes),
		},
		{name: "a pod takes the place of a lesser one", apply: preemptor, until: "get pod first -o jsonpath={.status.phase}", want: "Running"},
		{name: "the lesser pods go", run: []string{"delete deployment filler", "delete pod first --grace-period=0 --force"}, until: "get pods -l app=filler -o name", want: ""},
		{name: "a node with a taint loses its pods", run: []string{"taint node node-1 gone=yes:NoExecute"}, until: "get pods --field-selector spec.nodeName=node-1 -l app=web -o name", want: ""},
		{name: "a node that is deleted loses its pods", run: []string{"delete node node-2"}, until: "get pods --field-selector spec.nodeName=node-2 -o name", want: ""},
		{name: "what a deployment owns goes with it", run: []string{"delete deployment web"}, until: "get rs,pods -l app=web -o name", want: ""},
		{name: "a deletion waits for dependents", run: []string{"delete statefulset db --cascade=foreground"}, until: "get pods -l app=db -o name", want: ""},
		{name: "a quota is counted", apply: quota, until: "get resourcequota few -n other -o jsonpath={.status.used.pods}", want: "2"},
		{name: "a namespace goes with all that is in it", run: []string{"delete namespace other"}, until: "get namespace other --ignore-not-found -o name", want: ""},
	}, policySteps(), metricsSteps(), kubeletSteps())
}

func nodesYAML(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, node, i, i)
	}
	return b.String()
}

const node = `---
apiVersion: v1
kind: Node
metadata:
  name: node-%d
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {kubernetes.io/hostname: node-%d, kubernetes.io/os: linux}
status:
  allocatable: {cpu: "32", memory: 256Gi, pods: "110"}
  capacity: {cpu: "32", memory: 256Gi, pods: "110"}
`

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "example.com/app:1", ports: [{containerPort: 8080}], resources: {requests: {cpu: 10m}}}
`

const budget = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 2, selector: {matchLabels: {app: web}}}
`

const daemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: app, image: "example.com/agent:1"}]}
`

const statefulSet = `
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: PersistentVolume, metadata: {name: disk-0}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /tmp/0}}}
- {apiVersion: v1, kind: PersistentVolume, metadata: {name: disk-1}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /tmp/1}}}
- {apiVersion: v1, kind: PersistentVolume, metadata: {name: disk-2}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /tmp/2}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: app, image: "example.com/db:1", volumeMounts: [{name: disk, mountPath: /data}]}]}
  volumeClaimTemplates:
  - metadata: {name: disk}
    spec: {accessModes: [ReadWriteOnce], storageClassName: manual, resources: {requests: {storage: 1Gi}}}
`

const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  completions: 3
  parallelism: 2
  template:
    spec: {restartPolicy: Never, containers: [{name: app, image: "example.com/job:1"}]}
`

const cronJob = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: often}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: app, image: "example.com/job:1"}]}
`

const priority = `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
---
apiVersion: v1
kind: Pod
metadata: {name: urgent}
spec: {priorityClassName: urgent, containers: [{name: app, image: "example.com/app:1"}]}
`

const quota = `
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: other}
spec: {hard: {pods: "2"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: many, namespace: other}
spec:
  replicas: 4
  selector: {matchLabels: {app: many}}
  template:
    metadata: {labels: {app: many}}
    spec: {containers: [{name: app, image: "example.com/app:1"}]}
`

const preemption = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: filler}
spec:
  replicas: %d
  selector: {matchLabels: {app: filler}}
  template:
    metadata: {labels: {app: filler}}
    spec: {containers: [{name: app, image: "example.com/app:1", resources: {requests: {cpu: "20"}}}]}
`

const preemptor = `
apiVersion: v1
kind: Pod
metadata: {name: first}
spec: {priorityClassName: urgent, containers: [{name: app, image: "example.com/app:1", resources: {requests: {cpu: "20"}}}]}
`
