package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	ours "github.com/typeplane/typeplane/internal/features/flowcontrol"
)

// TestDefaultLevels: the objects that every server has are those of Kubernetes.
func TestDefaultLevels(t *testing.T) {
	schemas, levels := ours.Objects(fairness.Default())
	theirSchemas := append(append([]*flowcontrolv1.FlowSchema{}, bootstrap.MandatoryFlowSchemas...), bootstrap.SuggestedFlowSchemas...)
	theirLevels := append(append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.MandatoryPriorityLevelConfigurations...), bootstrap.SuggestedPriorityLevelConfigurations...)
	compareByName(t, schemas, theirSchemas)
	compareByName(t, levels, theirLevels)
}

func compareByName[T any, P interface {
	*T
	metav1.Object
}](t *testing.T, ours, theirs []P) {
	t.Helper()
	named := map[string]P{}
	for _, o := range ours {
		named[o.GetName()] = o
	}
	if len(named) != len(theirs) {
		t.Errorf("%d objects of %T, Kubernetes has %d", len(named), *new(T), len(theirs))
	}
	for _, o := range theirs {
		if !reflect.DeepEqual(named[o.GetName()], o) {
			t.Errorf("%s:\nours   %+v\ntheirs %+v", o.GetName(), named[o.GetName()], o)
		}
	}
}

// TestDecisions: for objects and requests at random, schema, level and flow are those that
// k8s.io/apiserver finds.
func TestDecisions(t *testing.T) {
	const requests = 3000
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 20))
		schemas, levels := bootstrap.SuggestedFlowSchemas, bootstrap.SuggestedPriorityLevelConfigurations
		if seed > 0 {
			schemas, levels = randomSchemas(r), randomLevels()
		}
		schemas = append(append([]*flowcontrolv1.FlowSchema{}, schemas...), bootstrap.MandatoryFlowSchemas...)
		levels = append(append([]*flowcontrolv1.PriorityLevelConfiguration{}, levels...), bootstrap.MandatoryPriorityLevelConfigurations...)
		theirs := startTheirs(t, schemas, levels)
		mine := fairness.New(600, prometheus.NewRegistry())
		mine.Set(ours.ConfigOf(schemas, levels))
		found := map[string]int{}
		for range requests {
			u, info := randomRequest(r)
			turn := mine.Classify(&fairness.Request{
				User: &auth.User{Name: u.Name, Groups: u.Groups}, Verb: info.Verb, IsResource: info.IsResourceRequest, Path: info.Path,
				Group: info.APIGroup, Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace,
			})
			schema, _ := turn.Schema()
			level, _ := turn.Level()
			got := decision{schema, level, turn.Flow()}
			want := theirs.decide(u, info)
			if want.flow == "" {
				got.flow = "" // they compute none where a level has no queues
			}
			if got != want {
				t.Fatalf("seed %d: %+v of %+v\nours   %+v\ntheirs %+v", seed, info, u, got, want)
			}
			found[schema]++
		}
		t.Logf("seed %d: %d requests, by schema: %v", seed, requests, found)
		if len(found) < 4 {
			t.Errorf("seed %d: only %d schemas were found", seed, len(found))
		}
	}
}

type decision struct{ schema, level, flow string }

// peer is k8s.io/apiserver's own.
type peer struct{ flowcontrol.Interface }

func startTheirs(t *testing.T, schemas []*flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) peer {
	t.Helper()
	var objects []runtime.Object
	last := ""
	for _, s := range schemas {
		objects = append(objects, s.DeepCopy())
		last = s.Name
	}
	for _, l := range levels {
		objects = append(objects, l.DeepCopy())
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	p := peer{flowcontrol.New(factory, client.FlowcontrolV1(), 600)}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	go func() { _ = p.Run(t.Context().Done()) }()
	// It says in the status of schemas that it has seen them.
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		s, err := client.FlowcontrolV1().FlowSchemas().Get(t.Context(), last, metav1.GetOptions{})
		if err == nil && len(s.Status.Conditions) > 0 {
			return p
		}
		if time.Now().After(end) {
			t.Fatal("the peer does not take the schemas")
		}
	}
}

func (p peer) decide(u *user.DefaultInfo, info *request.RequestInfo) (d decision) {
	p.Handle(context.Background(), flowcontrol.RequestDigest{RequestInfo: info, User: u},
		func(fs *flowcontrolv1.FlowSchema, pl *flowcontrolv1.PriorityLevelConfiguration, flow string) {
			d = decision{fs.Name, pl.Name, flow}
		},
		func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} }, func(bool) {}, func() {})
	return d
}

var (
	someUsers      = []string{"jane", "john", "system:kube-scheduler", "system:kube-controller-manager", "system:serviceaccount:kube-system:gc", "system:serviceaccount:team:bot", "system:serviceaccount:team2:bot", "system:anonymous", "system:serviceaccount:team"}
	someGroups     = []string{"system:masters", "system:nodes", "system:serviceaccounts", "readers", "writers"}
	verbs          = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	apiGroups      = []string{"", "coordination.k8s.io", "apps"}
	someResources  = []string{"leases", "nodes", "pods", "deployments"}
	subs           = []string{"", "", "", "status", "log"}
	someNamespaces = []string{"", "default", "kube-system", "team"}
	paths          = []string{"/", "/healthz", "/healthz/etcd", "/healthzz", "/livez", "/readyz/ping", "/apis", "/apis/apps", "/openapi/v3/apis/apps", "/metrics"}
	rulePaths      = []string{"/", "/*", "/healthz", "/healthz/*", "/apis/*", "/openapi/v3", "/metrics"}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// some are some of the values, or all of them by their wildcard.
func some(r *rand.Rand, from []string) []string {
	if r.IntN(3) == 0 {
		return []string{"*"}
	}
	var out []string
	for range 1 + r.IntN(3) {
		out = append(out, pick(r, from))
	}
	return out
}

func randomRequest(r *rand.Rand) (*user.DefaultInfo, *request.RequestInfo) {
	u := &user.DefaultInfo{Name: pick(r, someUsers)}
	switch {
	case u.Name == "system:anonymous":
		u.Groups = []string{user.AllUnauthenticated}
	case r.IntN(20) > 0:
		u.Groups = []string{user.AllAuthenticated}
	}
	for range r.IntN(2) {
		u.Groups = append(u.Groups, pick(r, someGroups))
	}
	if r.IntN(4) == 0 {
		return u, &request.RequestInfo{Path: pick(r, paths), Verb: pick(r, []string{"get", "post", "head"})}
	}
	return u, &request.RequestInfo{
		IsResourceRequest: true, Verb: pick(r, verbs), APIGroup: pick(r, apiGroups), Resource: pick(r, someResources), Subresource: pick(r, subs), Namespace: pick(r, someNamespaces),
	}
}

func randomLevels() []*flowcontrolv1.PriorityLevelConfiguration {
	levels := append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.SuggestedPriorityLevelConfigurations...)
	rejecting := bootstrap.MandatoryPriorityLevelConfigurationCatchAll.DeepCopy()
	rejecting.Name = "rejecting"
	return append(levels, rejecting)
}

func randomSchemas(r *rand.Rand) []*flowcontrolv1.FlowSchema {
	levels := []string{"exempt", "rejecting", "missing", "system", "workload-low", "global-default"}
	var schemas []*flowcontrolv1.FlowSchema
	for i := range 30 {
		s := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("schema%d", r.IntN(1000)*100+i)}}
		s.Spec.PriorityLevelConfiguration.Name = pick(r, levels)
		s.Spec.MatchingPrecedence = int32(2 + r.IntN(12))
		if method := pick(r, []flowcontrolv1.FlowDistinguisherMethodType{"", "ByUser", "ByNamespace"}); method != "" {
			s.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: method}
		}
		for range 1 + r.IntN(2) {
			s.Spec.Rules = append(s.Spec.Rules, randomRule(r))
		}
		schemas = append(schemas, s)
	}
	return schemas
}

func randomRule(r *rand.Rand) flowcontrolv1.PolicyRulesWithSubjects {
	var rule flowcontrolv1.PolicyRulesWithSubjects
	for range 1 + r.IntN(2) {
		rule.Subjects = append(rule.Subjects, pick(r, []flowcontrolv1.Subject{
			{Kind: "User", User: &flowcontrolv1.UserSubject{Name: pick(r, someUsers)}},
			{Kind: "User", User: &flowcontrolv1.UserSubject{Name: pick(r, someUsers)}},
			{Kind: "Group", Group: &flowcontrolv1.GroupSubject{Name: pick(r, someGroups)}},
			{Kind: "Group", Group: &flowcontrolv1.GroupSubject{Name: pick(r, []string{"*", "readers"})}},
			{Kind: "ServiceAccount", ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: pick(r, []string{"team", "kube-system"}), Name: pick(r, []string{"*", "bot"})}},
		}))
	}
	for range r.IntN(3) {
		rule.ResourceRules = append(rule.ResourceRules, flowcontrolv1.ResourcePolicyRule{
			Verbs: some(r, verbs), APIGroups: some(r, apiGroups), Resources: some(r, append([]string{"pods/log", "nodes/status"}, someResources...)),
			Namespaces: some(r, someNamespaces[1:]), ClusterScope: r.IntN(2) == 0,
		})
	}
	for range r.IntN(3) {
		rule.NonResourceRules = append(rule.NonResourceRules, flowcontrolv1.NonResourcePolicyRule{Verbs: some(r, []string{"get", "post"}), NonResourceURLs: some(r, rulePaths)})
	}
	return rule
}
