package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// metricsSteps have the test measure nodes and pods, as a metrics server does, and a deployment
// scaled by that.
func metricsSteps() []step {
	return []step{
		{
			name: "a node is measured", apply: busy, run: []string{"rollout status deployment/busy"}, do: uses(20, 1),
			until: "top nodes node-0 --no-headers", want: "node-0   16000m   50%   65536Mi   25%",
		},
		{name: "a pod is measured", until: "top pods urgent --no-headers", want: "urgent   250m   64Mi"},
		{
			name: "a deployment is scaled up by what it uses",
			run:  []string{"autoscale deployment/busy --cpu=50% --min=1 --max=4"}, do: uses(200, 4),
			until: "get horizontalpodautoscalers.v1.autoscaling busy -o jsonpath={.spec.targetCPUUtilizationPercentage}/{.status.currentReplicas}", want: "50/4",
		},
		{
			name: "and down, as v2 says how",
			run:  []string{`patch horizontalpodautoscalers.v2.autoscaling busy --type=merge -p {"spec":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":0}}}}`}, do: uses(50, 1),
		},
		{
			name:  "a change in v1 leaves what v2 says",
			run:   []string{`patch horizontalpodautoscalers.v1.autoscaling busy --type=merge -p {"spec":{"maxReplicas":5}}`},
			until: "get horizontalpodautoscalers.v2.autoscaling busy -o jsonpath={.spec.maxReplicas}/{.spec.behavior.scaleDown.stabilizationWindowSeconds}", want: "5/0",
		},
		{name: "an autoscaler goes", run: []string{"delete hpa,deployment busy", "delete pods.metrics.k8s.io,nodes.metrics.k8s.io --all"}},
	}
}

// uses has the deployment use so many thousandths of a CPU, and its pods share them, until it has
// as many pods as that takes.
func uses(cpu, replicas int) func(context.Context, *cluster) error {
	return func(ctx context.Context, c *cluster) error {
		for {
			names, err := c.kubectl(ctx, "", "get pods -l app=busy --field-selector status.phase=Running -o jsonpath={.items[*].metadata.name}")
			if err != nil {
				return err
			}
			pods := strings.Fields(names)
			var metrics strings.Builder
			now := time.Now().UTC().Format(time.RFC3339)
			fmt.Fprintf(&metrics, nodeMetrics, now)
			fmt.Fprintf(&metrics, podMetrics, "urgent", "urgent", now, "250m")
			for _, pod := range pods {
				fmt.Fprintf(&metrics, podMetrics, pod, "busy", now, fmt.Sprintf("%dm", cpu/len(pods)))
			}
			if _, err := c.kubectl(ctx, metrics.String(), "apply --server-side -f -"); err != nil {
				return err
			}
			ready, err := c.kubectl(ctx, "", "get deployment busy -o jsonpath={.spec.replicas}/{.status.readyReplicas}")
			if err != nil {
				return err
			}
			if ready == fmt.Sprintf("%d/%d", replicas, replicas) && len(pods) == replicas {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("the deployment has %s replicas, want %d: %w", ready, replicas, ctx.Err())
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
}

const busy = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: busy}
spec:
  selector: {matchLabels: {app: busy}}
  template:
    metadata: {labels: {app: busy}}
    spec: {containers: [{name: app, image: "example.com/app:1", resources: {requests: {cpu: 100m}}}]}
`

const nodeMetrics = `---
apiVersion: metrics.k8s.io/v1beta1
kind: NodeMetrics
metadata: {name: node-0}
timestamp: %q
window: 0s
usage: {cpu: "16", memory: 64Gi}
`

const podMetrics = `---
apiVersion: metrics.k8s.io/v1beta1
kind: PodMetrics
metadata: {name: %q, namespace: default, labels: {app: %q}}
timestamp: %q
window: 0s
containers: [{name: app, usage: {cpu: %s, memory: 64Mi}}]
`
