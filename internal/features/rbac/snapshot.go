package rbac

import (
	"fmt"
	"log/slog"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/recovery"
)

// Snapshot is the roles and bindings of one moment. It is not modified, nor is what it points to;
// all methods may be called from any goroutine.
type Snapshot struct {
	roles           map[key]*rbacv1.Role
	clusterRoles    map[string][]rbacv1.PolicyRule
	roleBindings    map[string][]*rbacv1.RoleBinding // by namespace
	clusterBindings []*rbacv1.ClusterRoleBinding
}

// key is where a role is.
type key struct{ namespace, name string }

// Objects are what a Snapshot is made of.
type Objects struct {
	Roles               []*rbacv1.Role
	ClusterRoles        []*rbacv1.ClusterRole
	RoleBindings        []*rbacv1.RoleBinding
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding
	// Log receives the roles that grant nothing because reading them panicked.
	Log *slog.Logger
}

// NewSnapshot keeps the objects, which must not be modified any more. It gathers the rules of
// cluster roles that are made of others, so what is written in the rules of such a one does not
// matter.
func NewSnapshot(o Objects) *Snapshot {
	s := &Snapshot{
		roles:           map[key]*rbacv1.Role{},
		clusterRoles:    Gather(o.ClusterRoles, o.Log),
		roleBindings:    map[string][]*rbacv1.RoleBinding{},
		clusterBindings: o.ClusterRoleBindings,
	}
	for _, r := range o.Roles {
		s.roles[key{r.Namespace, r.Name}] = r
	}
	for _, b := range o.RoleBindings {
		s.roleBindings[b.Namespace] = append(s.roleBindings[b.Namespace], b)
	}
	return s
}

// Gather returns the rules of each cluster role by its name, which share memory with the roles. One
// that is made of others has theirs, and of those that they are made of, in the order of the roles.
// What is written in its own rules is not among them. A rule that several have is there several
// times.
// A role that makes this panic grants nothing.
func Gather(roles []*rbacv1.ClusterRole, log *slog.Logger) map[string][]rbacv1.PolicyRule {
	rules := map[string][]rbacv1.PolicyRule{}
	for _, role := range roles {
		_ = recovery.Object(log, "rbac", role.Name, func() { rules[role.Name] = gatherOne(role, roles) })
	}
	return rules
}

func gatherOne(role *rbacv1.ClusterRole, roles []*rbacv1.ClusterRole) (joined []rbacv1.PolicyRule) {
	if role.AggregationRule == nil {
		return role.Rules
	}
	parts := map[*rbacv1.ClusterRole]bool{role: true}
	collect(role, roles, parts)
	for _, part := range roles { // in their order, not in that of a map
		if parts[part] && part.AggregationRule == nil {
			joined = append(joined, part.Rules...)
		}
	}
	return joined
}

// collect adds to parts the roles that a role is made of.
func collect(role *rbacv1.ClusterRole, roles []*rbacv1.ClusterRole, parts map[*rbacv1.ClusterRole]bool) {
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			continue // validation lets none be written; one that was stored by somebody else selects nothing
		}
		for _, part := range roles {
			if parts[part] || !selector.Matches(labels.Set(part.Labels)) {
				continue
			}
			parts[part] = true
			if part.AggregationRule != nil {
				collect(part, roles, parts)
			}
		}
	}
}

// Authorize says whether a rule allows the request, and which binding it comes from.
func (s *Snapshot) Authorize(a auth.Attributes) (allowed bool, reason string) {
	for source, rules := range s.bound(a.User, a.Namespace) {
		for i := range rules {
			if ruleAllows(&rules[i], &a) {
				return true, "RBAC: allowed by " + source.String()
			}
		}
	}
	return false, ""
}

// RulesFor returns all rules that the user has in a namespace; "" is the cluster.
func (s *Snapshot) RulesFor(user *auth.User, namespace string) []rbacv1.PolicyRule {
	var all []rbacv1.PolicyRule
	for _, rules := range s.bound(user, namespace) {
		all = append(all, rules...)
	}
	return all
}

// bound yields the rules of each role that is bound to the user, for the namespace or for all.
func (s *Snapshot) bound(user *auth.User, namespace string) func(yield func(binding, []rbacv1.PolicyRule) bool) {
	return func(yield func(binding, []rbacv1.PolicyRule) bool) {
		if user == nil {
			return
		}
		for _, b := range s.clusterBindings {
			if subject := find(b.Subjects, user, ""); subject != nil {
				rules, _ := s.roleRules(b.RoleRef, "")
				if !yield(binding{"ClusterRoleBinding", b.Name, b.RoleRef, subject}, rules) {
					return
				}
			}
		}
		if namespace == "" {
			return
		}
		for _, b := range s.roleBindings[namespace] {
			if subject := find(b.Subjects, user, namespace); subject != nil {
				rules, _ := s.roleRules(b.RoleRef, namespace)
				if !yield(binding{"RoleBinding", b.Name + "/" + namespace, b.RoleRef, subject}, rules) {
					return
				}
			}
		}
	}
}

// roleRules returns the rules of a role. A binding to one that is not there gives nothing.
func (s *Snapshot) roleRules(ref rbacv1.RoleRef, namespace string) (rules []rbacv1.PolicyRule, found bool) {
	if ref.Kind == "ClusterRole" {
		rules, found = s.clusterRoles[ref.Name]
		return rules, found
	}
	role := s.roles[key{namespace, ref.Name}]
	if role == nil || ref.Kind != "Role" {
		return nil, false
	}
	return role.Rules, true
}

func find(subjects []rbacv1.Subject, user *auth.User, namespace string) *rbacv1.Subject {
	for i := range subjects {
		if subjectIs(&subjects[i], user, namespace) {
			return &subjects[i]
		}
	}
	return nil
}

// binding is where rules come from.
type binding struct {
	kind, name string
	role       rbacv1.RoleRef
	subject    *rbacv1.Subject
}

func (b binding) String() string {
	subject := b.subject.Name
	if b.subject.Kind == rbacv1.ServiceAccountKind && b.subject.Namespace != "" {
		subject += "/" + b.subject.Namespace
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", b.kind, b.name, b.role.Kind, b.role.Name, b.subject.Kind, subject)
}
