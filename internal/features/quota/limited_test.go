package quota_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestLimitedResources: what is limited nobody makes without a quota for it.
func TestLimitedResources(t *testing.T) {
	setup := inMemory(memory.NewDatabase())
	setup.limited = []quota.Limited{{Resource: "configmaps", MatchContains: []string{"count/"}}, {Resource: "secrets", MatchContains: []string{""}}}
	s := setup.start(t)
	const refused = `configmaps "a" is forbidden: insufficient quota to consume: count/configmaps`
	wantForbidden(t, s.create("configmaps", configMap("a")), refused)
	wantForbidden(t, s.create("configmaps", configMap("a"), "All"), refused)
	s.mustCreate("resourcequotas", quotaOf("other", map[corev1.ResourceName]string{"configmaps": "5", "secrets": "5"}))
	wantForbidden(t, s.create("configmaps", configMap("a")), refused)
	s.wantUsed("other", "configmaps=0,secrets=0")
	wantForbidden(t, s.create("secrets", &corev1.Secret{ObjectMeta: configMap("s").ObjectMeta}), `secrets "s" is forbidden: insufficient quota to consume: count/secrets`)

	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"count/configmaps": "1"}))
	s.mustCreate("configmaps", configMap("a"))
	s.wantUsed("q", "count/configmaps=1")
	s.wantUsed("other", "configmaps=1,secrets=0")
	wantForbidden(t, s.create("configmaps", configMap("b")), `configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1`)
	s.mustDelete("resourcequotas", "q")
	wantForbidden(t, s.create("configmaps", configMap("b")), strings.Replace(refused, `"a"`, `"b"`, 1))
	// What is there may change, and go.
	s.mustUpdate("configmaps", configMap("a"))
	s.mustDelete("configmaps", "a")
	s.wantUsed("other", "configmaps=0,secrets=0")
}

// TestLimitedResourcesElsewhere: a quota that another server has just made counts, though memory
// here has yet to hear of it.
func TestLimitedResourcesElsewhere(t *testing.T) {
	db := memory.NewDatabase()
	limited := inMemory(db)
	limited.limited = []quota.Limited{{Resource: "configmaps", MatchContains: []string{"configmaps"}}}
	here, there := limited.start(t), inMemory(db).start(t)
	for range 20 {
		there.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1", "count/configmaps": "1"}))
		here.mustCreate("configmaps", configMap("a"))
		here.mustDelete("configmaps", "a")
		there.mustDelete("resourcequotas", "q")
		if err := here.create("configmaps", configMap("a")); err == nil {
			t.Fatal("it was made without a quota")
		}
	}
}
