package rbac

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

func meta(namespace, name string, labels ...string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{}}
	for _, l := range labels {
		m.Labels[l] = "true"
	}
	return m
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// rules reads "verbs groups resources names" or "verbs /paths"; "core" is the group without a name.
func rules(lines ...string) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, line := range lines {
		f := strings.Fields(line)
		r := rbacv1.PolicyRule{Verbs: list(f[0])}
		if strings.HasPrefix(f[1], "/") || len(f) == 2 {
			r.NonResourceURLs = list(f[1])
			out = append(out, r)
			continue
		}
		r.APIGroups, r.Resources = list(strings.ReplaceAll(f[1], "core", "")), list(f[2])
		if f[1] == "core" {
			r.APIGroups = []string{""}
		}
		if len(f) > 3 {
			r.ResourceNames = list(f[3])
		}
		out = append(out, r)
	}
	return out
}

func to(kind, namespace, name string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: kind, Namespace: namespace, Name: name}}
}

func ref(kind, name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
}

func gatherer(name string, labels ...string) *rbacv1.ClusterRole {
	r := &rbacv1.ClusterRole{ObjectMeta: meta("", name), AggregationRule: &rbacv1.AggregationRule{}, Rules: rules("* * *")}
	for _, l := range labels {
		r.AggregationRule.ClusterRoleSelectors = append(r.AggregationRule.ClusterRoleSelectors, metav1.LabelSelector{MatchLabels: map[string]string{l: "true"}})
	}
	return r
}

func snapshot() *Snapshot {
	inner := gatherer("inner", "b", "loop")
	inner.Labels["a"] = "true"
	outer := gatherer("outer", "a")
	outer.Labels["loop"] = "true"
	return NewSnapshot(Objects{
		Roles: []*rbacv1.Role{
			{ObjectMeta: meta("ns", "reader"), Rules: rules("get,list core pods,pods/log", "get core configmaps one")},
			{ObjectMeta: meta("other", "reader"), Rules: rules("* * *")},
		},
		ClusterRoles: []*rbacv1.ClusterRole{
			{ObjectMeta: meta("", "all"), Rules: rules("* * *", "* *")},
			{ObjectMeta: meta("", "scaler"), Rules: rules("get,update * */scale", "get /healthz,/api/*")},
			{ObjectMeta: meta("", "leaf", "b"), Rules: rules("get library.example.com books")},
			inner, outer,
		},
		RoleBindings: []*rbacv1.RoleBinding{
			{ObjectMeta: meta("ns", "jane"), Subjects: to("User", "", "jane"), RoleRef: ref("Role", "reader")},
			{ObjectMeta: meta("ns", "robot"), Subjects: to("ServiceAccount", "", "robot"), RoleRef: ref("ClusterRole", "all")},
			{ObjectMeta: meta("ns", "dangling"), Subjects: to("User", "", "joe"), RoleRef: ref("Role", "gone")},
		},
		ClusterRoleBindings: []*rbacv1.ClusterRoleBinding{
			{ObjectMeta: meta("", "ops"), Subjects: to("Group", "", "ops"), RoleRef: ref("ClusterRole", "scaler")},
			{ObjectMeta: meta("", "gatherer"), Subjects: to("User", "", "mary"), RoleRef: ref("ClusterRole", "outer")},
			{ObjectMeta: meta("", "far"), Subjects: to("ServiceAccount", "far", "robot"), RoleRef: ref("ClusterRole", "all")},
		},
	})
}

func TestAuthorize(t *testing.T) {
	s := snapshot()
	robot, far := auth.ServiceAccountName("ns", "robot"), auth.ServiceAccountName("far", "robot")
	for _, tc := range []struct {
		user, request string // verb group resource[/subresource] namespace [name], or verb path
		want          bool
	}{
		{"jane", "get core pods ns", true},
		{"jane", "get core pods ns p", true},
		{"jane", "get core pods/log ns p", true},
		{"jane", "get core pods/status ns p", false},
		{"jane", "delete core pods ns p", false},
		{"jane", "get core pods other p", false},
		{"jane", "list core pods -", false},
		{"jane", "get apps pods ns", false},
		{"jane", "get core configmaps ns one", true},
		{"jane", "get core configmaps ns two", false},
		{"jane", "list core configmaps ns", false},
		{"jane", "get /healthz", false},
		{"joe", "get core pods ns", false},
		{robot, "delete apps deployments ns d", true},
		{robot, "delete apps deployments other d", false},
		{robot, "get /healthz", false},
		{far, "get /healthz", true},
		{far, "delete apps deployments/scale other d", true},
		{"ops", "update apps deployments/scale ns d", true},
		{"ops", "get apps deployments ns d", false},
		{"ops", "update apps deployments/status ns d", false},
		{"ops", "get /healthz", true},
		{"ops", "get /healthz/etcd", false},
		{"ops", "get /api/v1", true},
		{"ops", "get /apis", false},
		{"ops", "post /healthz", false},
		{"mary", "get library.example.com books ns b", true},
		{"mary", "delete library.example.com books ns b", false},
		{"", "get /healthz", false},
	} {
		a := attributes(tc.user, tc.request)
		if allowed, reason := s.Authorize(a); allowed != tc.want || allowed != (reason != "") {
			t.Errorf("%s: %s: %v (%s)", tc.user, tc.request, allowed, reason)
		}
	}
	_, reason := s.Authorize(attributes("jane", "get core pods ns"))
	if want := `RBAC: allowed by RoleBinding "jane/ns" of Role "reader" to User "jane"`; reason != want {
		t.Errorf("reason %s", reason)
	}
}

func attributes(user, request string) auth.Attributes {
	f := strings.Fields(request)
	a := auth.Attributes{Verb: f[0], Path: f[1]}
	switch user {
	case "":
	case "ops":
		a.User = &auth.User{Name: "x", Groups: []string{"ops"}}
	default:
		a.User = &auth.User{Name: user}
	}
	if len(f) == 2 {
		return a
	}
	a.IsResource, a.Group, a.Namespace = true, strings.ReplaceAll(f[1], "core", ""), strings.ReplaceAll(f[3], "-", "")
	a.Resource, a.Subresource, _ = strings.Cut(f[2], "/")
	if len(f) > 4 {
		a.Name = f[4]
	}
	return a
}

// TestUncovered: what somebody would give away without having it.
func TestUncovered(t *testing.T) {
	for _, tc := range []struct{ have, want, missing string }{
		{"* * *", "get core pods", ""},
		{"* * *", "get /healthz", `{NonResourceURLs:["/healthz"], Verbs:["get"]}`},
		{"get,list core pods", "get core pods", ""},
		{"get core pods", "get,list core pods", `{APIGroups:[""], Resources:["pods"], Verbs:["list"]}`},
		{"get core pods a", "get core pods", `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`},
		{"get core pods a,b", "get core pods b", ""},
		{"get core pods", "get core pods b", ""},
		{"get core pods", "get * pods", `{APIGroups:["*"], Resources:["pods"], Verbs:["get"]}`},
		{"get core pods", "get core *", `{APIGroups:[""], Resources:["*"], Verbs:["get"]}`},
		{"get core */scale", "get core pods/scale", ""},
		{"get core */scale", "get core pods/status", `{APIGroups:[""], Resources:["pods/status"], Verbs:["get"]}`},
		{"get core pods", "get core pods/status", `{APIGroups:[""], Resources:["pods/status"], Verbs:["get"]}`},
		{"get core pods", "* core pods", `{APIGroups:[""], Resources:["pods"], Verbs:["*"]}`},
		{"get /api/*", "get /api/v1,/api/v1/*", ""},
		{"get /api/*", "get /*", `{NonResourceURLs:["/*"], Verbs:["get"]}`},
		{"* *", "get /*", ""},
	} {
		var got []string
		for _, r := range compact(uncovered(rules(tc.have), rules(tc.want))) {
			got = append(got, describe(&r))
		}
		if strings.Join(got, "") != tc.missing {
			t.Errorf("%s in %s: missing %s, want %s", tc.want, tc.have, got, tc.missing)
		}
	}
}

// A few kilobytes of a rule can stand for billions of combinations; who may do anything need not
// have them compared.
func TestManyCombinations(t *testing.T) {
	list := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("x", i))
		}
		return out
	}
	o := Objects{ClusterRoles: []*rbacv1.ClusterRole{
		{ObjectMeta: meta("", "all"), Rules: rules("* * *")},
		{ObjectMeta: meta("", "some"), Rules: rules("get core pods", "x0,x1 x0 x0")},
	}}
	for _, role := range o.ClusterRoles {
		o.ClusterRoleBindings = append(o.ClusterRoleBindings, &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta("", role.Name), Subjects: to("User", "", role.Name), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: role.Name},
		})
	}
	g := escalation{rules: &Authorizer{}}
	g.rules.now.Store(NewSnapshot(o))
	rule := func(verbs, groups, resources []string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{Verbs: verbs, APIGroups: groups, Resources: resources}}
	}
	again := slices.Repeat([]string{"x0"}, 1000)
	for name, tc := range map[string]struct {
		user  string
		rules []rbacv1.PolicyRule
		want  string
		lines int
	}{
		"whoever may do all":   {"all", rule(list(1000), list(1000), list(1000)), "", 0},
		"too many":             {"some", rule(list(1000), list(1000), list(1000)), "stand for more than 100000 combinations", 1},
		"always the same":      {"some", rule(append(again, "x1"), again, again), "", 0},
		"none of many":         {"some", rule(list(10), list(10), list(20)), "and 100 more", 102},
		"as several of theirs": {"some", append(rules("get core pods"), rule(list(2), list(1), list(1))...), "", 0},
	} {
		err := g.cover(t.Context(), &auth.User{Name: tc.user}, "", tc.rules)
		text := fmt.Sprint(err)
		if tc.want == "" && err != nil || tc.want != "" && (!strings.Contains(text, tc.want) || strings.Count(text, "\n")+1 != tc.lines) {
			t.Errorf("%s: %.300s", name, text)
		}
	}
}

// TestBootstrap: what people may do who have one of the roles in a namespace of a server with these
// resources.
func TestBootstrap(t *testing.T) {
	gv := func(group, name, subresource string, namespaced bool) rest.Resource {
		r := rest.Resource{Name: name, Subresource: subresource, Namespaced: namespaced, Get: nothing{}, Update: nothing{}}
		r.GroupVersion.Group, r.GroupVersion.Version = group, "v1"
		return r
	}
	stream := func(name, subresource string, methods ...string) rest.Resource {
		r := gv("", name, subresource, true)
		r.Get, r.Update, r.Connect, r.ConnectMethods = nil, nil, nothing{}, methods
		return r
	}
	p := Bootstrap([]rest.Resource{stream("pods", "log", "GET"), stream("pods", "attach", "GET", "POST"), gv("", "secrets", "", true), gv("", "configmaps", "", true), gv("", "resourcequotas", "", true), gv("", "limitranges", "", true), gv("x.io", "books", "", true), gv("x.io", "books", "status", true), gv("x.io", "shelves", "", false), gv(rbacv1.GroupName, "roles", "", true)})
	o := Objects{}
	for i := range p.ClusterRoles {
		o.ClusterRoles = append(o.ClusterRoles, &p.ClusterRoles[i])
	}
	for i := range p.ClusterRoleBindings {
		o.ClusterRoleBindings = append(o.ClusterRoleBindings, &p.ClusterRoleBindings[i])
	}
	for _, name := range []string{"admin", "edit", "view"} {
		o.RoleBindings = append(o.RoleBindings, &rbacv1.RoleBinding{ObjectMeta: meta("ns", name), Subjects: to("User", "", name), RoleRef: ref("ClusterRole", name)})
	}
	s := NewSnapshot(o)
	for request, want := range map[string]string{
		"get core configmaps ns c":                       "admin edit view",
		"delete core configmaps ns c":                    "admin edit",
		"get core secrets ns c":                          "admin edit",
		"get core pods/log ns p":                         "admin edit view",
		"get core pods/attach ns p":                      "admin edit",
		"create core pods/attach ns p":                   "admin edit",
		"get core resourcequotas ns c":                   "admin edit view",
		"update core resourcequotas ns c":                "",
		"delete core limitranges ns c":                   "",
		"update core secrets ns c":                       "admin edit",
		"get x.io books ns b":                            "admin edit view",
		"get x.io books/status ns b":                     "admin edit view",
		"update x.io books/status ns b":                  "",
		"get x.io shelves - s":                           "",
		"get core configmaps other c":                    "",
		"create rbac.authorization.k8s.io roles ns r":    "admin",
		"get rbac.authorization.k8s.io clusterroles - r": "",
	} {
		var may []string
		for _, user := range []string{"admin", "edit", "view"} {
			if allowed, _ := s.Authorize(attributes(user, request)); allowed {
				may = append(may, user)
			}
		}
		if got := strings.Join(may, " "); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
	for path, want := range map[string]bool{"/version": true, "/healthz": true, "/apis/x.io": false, "/metrics": false} {
		if allowed, _ := s.Authorize(auth.Attributes{User: &auth.User{Name: auth.UserAnonymous, Groups: []string{auth.GroupUnauthenticated}}, Verb: "get", Path: path}); allowed != want {
			t.Errorf("anonymous, %s: %v", path, allowed)
		}
	}
}

// nothing has verbs.
type nothing struct {
	rest.Getter
	rest.Updater
	rest.Connector
}
