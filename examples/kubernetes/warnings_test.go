package kubernetes

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/yaml"
)

func object[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// TestOddObjects: test/kuberules compares the texts of all kinds with those of a kube-apiserver.
func TestOddObjects(t *testing.T) {
	ctx := t.Context()
	headless := object[corev1.Service](t, "{spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], sessionAffinity: None, externalIPs: [1.2.3.4]}}")
	const odd = "template: {spec: {nodeSelector: {beta.kubernetes.io/os: linux}}}"
	set, scaled := object[appsv1.ReplicaSet](t, "{metadata: {name: a}, spec: {replicas: 1, "+odd+"}}"), object[appsv1.ReplicaSet](t, "{spec: {replicas: 2, "+odd+"}}")
	const oldLabel = `spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`
	cron := object[batchv1.CronJob](t, "{metadata: {name: a}, spec: {schedule: 'TZ=UTC * * * * *'}}")
	driver := object[storagev1.CSIDriver](t, "{spec: {tokenRequests: [{audience: a}]}}")
	for of, c := range map[string]struct{ got, want []string }{
		"a headless service":            {ServiceStrategy{}.WarningsOnCreate(ctx, headless), []string{"spec.externalIPs is ignored for headless services"}},
		"a new replica set":             {ReplicaSetStrategy{}.WarningsOnCreate(ctx, set), []string{oldLabel}},
		"a replica set that is scaled":  {ReplicaSetStrategy{}.WarningsOnUpdate(ctx, scaled, set), []string{oldLabel}},
		"a replica set as it was":       {ReplicaSetStrategy{}.WarningsOnUpdate(ctx, set, set), nil},
		"a time zone":                   {CronJobStrategy{}.WarningsOnUpdate(ctx, cron, cron), scheduleWarnings(cron)},
		"a driver with tokens":          {CSIDriverStrategy{}.WarningsOnCreate(ctx, driver), CSIDriverStrategy{}.WarningsOnUpdate(ctx, driver, new(storagev1.CSIDriver))},
		"a driver with those as before": {CSIDriverStrategy{}.WarningsOnUpdate(ctx, driver, driver), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", of, c.got, c.want)
		}
	}
	if len(scheduleWarnings(cron)) != 1 {
		t.Error("nothing is said of a time zone in a schedule")
	}
}
