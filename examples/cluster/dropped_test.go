package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestDropped writes autoscalers through v1, which shows the CPU of v2's metrics. What a write
// removes of the others is in a warning, and nothing else is.
func TestDropped(t *testing.T) {
	c := servertest.StartProgram(t, program())
	const (
		v1, v2 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
		metric = `{"type":"Resource","resource":{"name":%q,"target":{"type":"Utilization","averageUtilization":%d}}}`
	)
	cpu, memory := fmt.Sprintf(metric, "cpu", 50), fmt.Sprintf(metric, "memory", 60)
	v2Of := func(name, metrics, more string) string {
		return fmt.Sprintf(`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":%q},"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"metrics":[%s]%s}}`, name, metrics, more)
	}
	v1Of := func(name, more string) string {
		return fmt.Sprintf(`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":%q},"spec":{"maxReplicas":4,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}%s}}`, name, more)
	}
	const merge, apply = "application/merge-patch+json", "application/apply-patch+yaml"
	for name, tc := range map[string]struct {
		metrics, behavior         string
		method, contentType, path string
		body                      string
		want                      string // "" is no warning
	}{
		"patch":        {cpu + "," + memory, "", "PATCH", merge, "", `{"spec":{"targetCPUUtilizationPercentage":70}}`, ""},
		"cleared":      {cpu + "," + memory, "", "PATCH", merge, "", `{"spec":{"targetCPUUtilizationPercentage":null}}`, ""},
		"strategic":    {cpu + "," + memory, "", "PATCH", "application/strategic-merge-patch+json", "", `{"spec":{"maxReplicas":7}}`, ""},
		"bare put":     {cpu + "," + memory, "", "PUT", "application/json", "", v1Of("bare-put", `,"targetCPUUtilizationPercentage":50`), ".spec.metrics[1] of autoscaling/v2"},
		"dry run":      {cpu + "," + memory, "", "PUT", "application/json", "?dryRun=All", v1Of("dry-run", `,"targetCPUUtilizationPercentage":50`), ".spec.metrics[1] of autoscaling/v2"},
		"two":          {cpu + "," + memory, `,"behavior":{"scaleDown":{"stabilizationWindowSeconds":60}}`, "PUT", "application/json", "", v1Of("two", `,"targetCPUUtilizationPercentage":50`), ".spec.behavior, .spec.metrics[1] of autoscaling/v2"},
		"all shown":    {cpu, "", "PUT", "application/json", "", v1Of("all-shown", ""), ""},
		"without":      {cpu + "," + memory, "", "PATCH", merge, "", `{"metadata":{"annotations":null}}`, ".spec.metrics[1] of autoscaling/v2"},
		"json patch":   {cpu + "," + memory, "", "PATCH", "application/json-patch+json", "", `[{"op":"remove","path":"/metadata/annotations"}]`, ".spec.metrics[1] of autoscaling/v2"},
		"apply":        {cpu + "," + memory, "", "PATCH", apply, "?fieldManager=me&force=true", v1Of("apply", `,"targetCPUUtilizationPercentage":80`), ""},
		"status":       {cpu + "," + memory, "", "PATCH", merge, "/status", `{"status":{"desiredReplicas":3}}`, ""},
		"stored again": {cpu + "," + memory, "", "PUT", "application/json", "v2", v2Of("stored-again", cpu, ""), ""},
	} {
		name = strings.ReplaceAll(name, " ", "-")
		if code, answer, _ := c.Send("POST", v2, "application/json", v2Of(name, tc.metrics, tc.behavior)); code != 201 {
			t.Fatal(code, answer)
		}
		path := v1 + "/" + name + tc.path
		if tc.path == "v2" {
			path = v2 + "/" + name
		}
		code, answer, warnings := c.Send(tc.method, path, tc.contentType, tc.body)
		if code != 200 {
			t.Errorf("%s: %d %s", name, code, answer)
			continue
		}
		var got []string
		for _, w := range warnings {
			if strings.Contains(w, "does not show") {
				got = append(got, w)
			}
		}
		want := []string{`299 - "this write removed fields that autoscaling/v1 does not show: ` + tc.want + `"`}
		if tc.want == "" {
			want = nil
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: warnings %q\nwant %q\n%s", name, got, want, answer)
		}
	}
}
