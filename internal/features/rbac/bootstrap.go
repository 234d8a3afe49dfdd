package rbac

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// Policy is roles and bindings that a server begins with.
type Policy struct {
	ClusterRoles        []rbacv1.ClusterRole
	ClusterRoleBindings []rbacv1.ClusterRoleBinding
	// Those in namespaces need the namespace: without it the server does not get ready.
	Roles        []rbacv1.Role
	RoleBindings []rbacv1.RoleBinding
}

// and returns the policy with what more policies have, which get the label and the annotation of
// one that a server begins with.
func (p Policy) and(more []Policy) Policy {
	for _, q := range more {
		for _, role := range q.ClusterRoles {
			mark(&role.ObjectMeta)
			p.ClusterRoles = append(p.ClusterRoles, role)
		}
		for _, binding := range q.ClusterRoleBindings {
			mark(&binding.ObjectMeta)
			p.ClusterRoleBindings = append(p.ClusterRoleBindings, binding)
		}
		for _, role := range q.Roles {
			mark(&role.ObjectMeta)
			p.Roles = append(p.Roles, role)
		}
		for _, binding := range q.RoleBindings {
			mark(&binding.ObjectMeta)
			p.RoleBindings = append(p.RoleBindings, binding)
		}
	}
	return p
}

// Labels and annotations of the bootstrap policy, as in Kubernetes.
const (
	labelBootstrapping = "kubernetes.io/bootstrapping"
	labelAggregateTo   = "rbac.authorization.k8s.io/aggregate-to-"
)

// The verbs of the roles that people have.
var (
	readVerbs  = []string{"get", "list", "watch"}
	writeVerbs = []string{"create", "delete", "deletecollection", "patch", "update"}
	allVerbs   = append(slices.Clone(writeVerbs), readVerbs...)
)

// Bootstrap returns the policy for a server of these resources. The role cluster-admin may do
// everything. The roles admin, edit and view are to be bound in a namespace, and gather what is
// labelled for them: here everything that the server keeps in namespaces. With view one reads all
// but secrets, with edit one writes all but limit ranges, quotas, roles and bindings, with admin
// the last two, too.
func Bootstrap(resources []rest.Resource) Policy {
	view, edit, admin := namespaced(resources)
	p := Policy{ClusterRoles: []rbacv1.ClusterRole{
		role("cluster-admin", allRules()...),
		role("system:discovery", paths("/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/")),
		role("system:public-info-viewer", paths("/healthz", "/livez", "/readyz", "/version", "/version/")),
		role("system:basic-user",
			rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
			rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}}),
		role("system:service-account-issuer-discovery", paths(auth.IssuerConfigPath, auth.IssuerConfigPath+"/", auth.IssuerKeysPath, auth.IssuerKeysPath+"/")),
		gathered("admin", "admin", "edit", "view"),
		gathered("edit", "edit", "view"),
		gathered("view", "view"),
		part("admin", append(admin,
			rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"localsubjectaccessreviews"}},
			rbacv1.PolicyRule{Verbs: allVerbs, APIGroups: []string{rbacv1.GroupName}, Resources: []string{"rolebindings", "roles"}})),
		part("edit", edit),
		part("view", view),
		role("system:auth-delegator",
			rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}},
			rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}}),
	}}
	p.ClusterRoleBindings = []rbacv1.ClusterRoleBinding{
		bindGroups("cluster-admin", auth.GroupMasters),
		bindGroups("system:discovery", auth.GroupAuthenticated),
		bindGroups("system:basic-user", auth.GroupAuthenticated),
		bindGroups("system:service-account-issuer-discovery", auth.GroupServiceAccounts),
		bindGroups("system:public-info-viewer", auth.GroupAuthenticated, auth.GroupUnauthenticated),
	}
	return p
}

// namespaced returns the rules for what the server keeps in namespaces: one for each API group.
func namespaced(resources []rest.Resource) (view, edit, admin []rbacv1.PolicyRule) {
	readable, writable, secret, connected := map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}
	for i := range resources {
		r := &resources[i]
		group, name := r.GroupVersion.Group, r.Name
		if r.Subresource != "" {
			name += "/" + r.Subresource
		}
		if !r.Namespaced || group == rbacv1.GroupName {
			continue
		}
		reads, writes := r.Get != nil || r.List != nil, r.Update != nil || r.Create != nil && r.Get != nil
		if r.Connect != nil {
			// What only shows something is read, as a log is. What takes something, too, is for
			// those who write: with every verb, since a client of WebSocket gets what others
			// create.
			reads = !slices.ContainsFunc(r.ConnectMethods, func(method string) bool { return method != http.MethodGet })
			writes = !reads
			if writes {
				connected[group] = append(connected[group], name)
			}
		}
		isSecret := group == "" && strings.HasPrefix(name, "secrets")
		if reads && !isSecret {
			readable[group] = append(readable[group], name)
		}
		if reads && isSecret {
			secret[group] = append(secret[group], name)
		}
		// A status is for whoever makes it so, a token for whom it is for; both are given by name.
		// Who is bound by limits does not set them.
		limits := group == "" && (r.Name == "limitranges" || r.Name == "resourcequotas")
		if writes && r.Subresource != "status" && r.Subresource != "token" && !limits {
			writable[group] = append(writable[group], name)
		}
	}
	view = rulesOf(readVerbs, readable)
	edit = slices.Concat(rulesOf(readVerbs, secret), rulesOf(readVerbs, connected), rulesOf(writeVerbs, writable))
	for i := range resources {
		if r := &resources[i]; r.GroupVersion.Group == "" && r.Name == "serviceaccounts" && r.Subresource == "" {
			edit = append(edit, rbacv1.PolicyRule{Verbs: []string{"impersonate"}, APIGroups: []string{""}, Resources: []string{"serviceaccounts"}})
			admin = append(admin, rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}})
		}
	}
	for i := range resources {
		if r := &resources[i]; r.GroupVersion.Group == "" && r.Name == "namespaces" && r.Subresource == "" {
			view = append(view, rbacv1.PolicyRule{Verbs: readVerbs, APIGroups: []string{""}, Resources: []string{"namespaces"}})
		}
	}
	return view, edit, admin
}

func rulesOf(verbs []string, byGroup map[string][]string) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, group := range slices.Sorted(maps.Keys(byGroup)) {
		names := slices.Clone(byGroup[group])
		slices.Sort(names)
		rules = append(rules, rbacv1.PolicyRule{Verbs: verbs, APIGroups: []string{group}, Resources: slices.Compact(names)})
	}
	return rules
}

func allRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{resourceRule("*", "*", "*"), {Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}}
}

func resourceRule(verb, group, resource string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
}

func paths(list ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: list}
}

func bootstrapMeta(name string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Name: name}
	mark(&meta)
	return meta
}

// mark says that an object belongs to the policy. What the caller has in its maps stays as it is.
func mark(meta *metav1.ObjectMeta) {
	meta.Labels = merge(meta.Labels, map[string]string{labelBootstrapping: "rbac-defaults"})
	meta.Annotations = merge(map[string]string{rbacv1.AutoUpdateAnnotationKey: "true"}, meta.Annotations)
}

func role(name string, rules ...rbacv1.PolicyRule) rbacv1.ClusterRole {
	return rbacv1.ClusterRole{ObjectMeta: bootstrapMeta(name), Rules: rules}
}

// part is what the server itself has for a role that is gathered.
func part(of string, rules []rbacv1.PolicyRule) rbacv1.ClusterRole {
	r := role("system:aggregate-to-"+of, rules...)
	r.Labels[labelAggregateTo+of] = "true"
	return r
}

// gathered is a role made of all that is labelled for one of the names.
func gathered(name string, from ...string) rbacv1.ClusterRole {
	r := role(name)
	r.AggregationRule = &rbacv1.AggregationRule{}
	for _, of := range from {
		r.AggregationRule.ClusterRoleSelectors = append(r.AggregationRule.ClusterRoleSelectors, metav1.LabelSelector{MatchLabels: map[string]string{labelAggregateTo + of: "true"}})
	}
	return r
}

// bindGroups binds a role to groups, by its own name.
func bindGroups(name string, groups ...string) rbacv1.ClusterRoleBinding {
	b := rbacv1.ClusterRoleBinding{ObjectMeta: bootstrapMeta(name), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}}
	for _, group := range groups {
		b.Subjects = append(b.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group})
	}
	return b
}
