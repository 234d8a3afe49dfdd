package kuberules

import (
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

// mergedLists are specs of pods with lists whose entries clients merge by another key than the one
// that has to be unique.
var mergedLists = map[string]string{
	"names of ports":                          `containers: [{name: c, image: i, ports: [{name: http, containerPort: 80}, {name: http, containerPort: 81}]}]`,
	"names of three ports":                    `containers: [{name: c, image: i, ports: [{name: http, containerPort: 80}, {name: http, containerPort: 81}, {name: http, containerPort: 82}]}]`,
	"no names of ports":                       `containers: [{name: c, image: i, ports: [{containerPort: 80}, {containerPort: 81}]}]`,
	"names of ports of two containers":        `containers: [{name: c, image: i, ports: [{name: http, containerPort: 80}]}, {name: d, image: i, ports: [{name: http, containerPort: 81}]}]`,
	"names of ports of an init container":     `{containers: [{name: c, image: i}], initContainers: [{name: d, image: i, ports: [{name: http, containerPort: 80}, {name: http, containerPort: 81}]}]}`,
	"ports of the node":                       `containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 81, hostPort: 8080}]}]`,
	"ports of the node, other addresses":      `containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.1}, {containerPort: 81, hostPort: 8080}]}]`,
	"ports of the node, other protocols":      `containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080, protocol: UDP}, {containerPort: 81, hostPort: 8080}]}]`,
	"ports of the node, two containers":       `containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080}]}, {name: d, image: i, ports: [{containerPort: 81, hostPort: 8080}]}]`,
	"ports of the node, an init container":    `{containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080}]}], initContainers: [{name: d, image: i, ports: [{containerPort: 81, hostPort: 8080}]}]}`,
	"ports of the node, in an init container": `{containers: [{name: c, image: i}], initContainers: [{name: d, image: i, ports: [{containerPort: 81, hostPort: 8080}, {containerPort: 82, hostPort: 8080}]}]}`,
	"constraints": `{containers: [{name: c, image: i}], topologySpreadConstraints: [
		{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}`,
	"constraints, other answers": `{containers: [{name: c, image: i}], topologySpreadConstraints: [
		{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}`,
}

// mergedPorts are ports of services, likewise.
var mergedPorts = map[string]string{
	"names":                           `[{name: http, port: 80}, {name: http, port: 81}]`,
	"no name":                         `[{name: http, port: 80}, {port: 81}]`,
	"one without a name":              `[{port: 80}]`,
	"numbers":                         `[{name: a, port: 80}, {name: b, port: 80}]`,
	"numbers, other protocols":        `[{name: a, port: 80}, {name: b, port: 80, protocol: UDP}]`,
	"ports of nodes":                  `[{name: a, port: 80, nodePort: 30001}, {name: b, port: 81, nodePort: 30001}]`,
	"ports of nodes, other protocols": `[{name: a, port: 80, nodePort: 30001}, {name: b, port: 81, protocol: UDP, nodePort: 30001}]`,
	"all of them":                     `[{name: a, port: 80, nodePort: 30001}, {name: a, port: 80, nodePort: 30001}, {name: a, port: 80, nodePort: 30001}]`,
}

// TestMergedLists creates objects with such lists, and compares the refusals.
func TestMergedLists(t *testing.T) {
	s := start(t, kubernetesProgram)
	s.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": inNamespace}})
	parsed := func(text string) (value any) {
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return value
	}
	refused := 0
	compare := func(k kind, name string, spec map[string]any, whole map[string]any) {
		t.Helper()
		doc := merged(whole, map[string]any{"apiVersion": k.GroupVersion().String(), "kind": k.Kind, "metadata": map[string]any{"name": "merged"}})
		doc = merged(doc, spec)
		theirs, ours := kubernetes(k, doc, nil, false), s.judge("POST", k.path(""), doc)
		if !theirs.same(ours) {
			t.Errorf("%s, %s\n\tkube-apiserver: %v\n\tours:           %v", k.Kind, name, theirs, ours)
		}
		if !ours.accepted {
			refused++
		}
	}
	for _, k := range slices.Concat(kinds, kindsOfKubernetes) {
		if k.Kind == "Service" {
			for name, ports := range mergedPorts {
				compare(k, name, map[string]any{"spec": map[string]any{"ports": parsed(ports)}}, read(t, "testdata/v1_services.yaml"))
			}
		}
		for name, text := range mergedLists {
			if doc := withPod(k.Kind, parsed(text).(map[string]any)); doc != nil {
				compare(k, name, doc, nil)
			}
		}
	}
	t.Logf("both refused %d objects", refused)
}

// withPod returns an object of a kind for pods of a spec, nil if the kind has none.
func withPod(kind string, spec map[string]any) map[string]any {
	template := map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "a"}}, "spec": spec}
	selector := map[string]any{"matchLabels": map[string]any{"app": "a"}}
	switch kind {
	case "Pod":
		return map[string]any{"spec": spec}
	case "PodTemplate":
		return map[string]any{"template": template}
	case "ReplicationController":
		return map[string]any{"spec": map[string]any{"selector": selector["matchLabels"], "template": template}}
	case "Deployment", "DaemonSet", "ReplicaSet":
		return map[string]any{"spec": map[string]any{"selector": selector, "template": template}}
	case "StatefulSet":
		return map[string]any{"spec": map[string]any{"selector": selector, "template": template, "serviceName": "s"}}
	case "Job":
		spec["restartPolicy"] = "Never"
		return map[string]any{"spec": map[string]any{"template": template}}
	case "CronJob":
		spec["restartPolicy"] = "Never"
		return map[string]any{"spec": map[string]any{"schedule": "0 0 * * *", "jobTemplate": map[string]any{"spec": map[string]any{"template": template}}}}
	}
	return nil
}
