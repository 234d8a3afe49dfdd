// Package roles has the roles that the programs of a cluster of Kubernetes run with, and the
// bindings that give them.
//
// They are those of a kube-apiserver, in a short form: roles.txt says what that is, and Read makes
// objects of it. test/kuberules compares what they allow. Nothing here decides who may do what.
package roles

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/features"
)

//go:embed roles.txt
var text string

// OfCluster are the roles in roles.txt.
func OfCluster() features.Roles {
	all, err := Read(text)
	if err != nil {
		panic(err) // the tests have read it
	}
	return all
}

// Read makes roles and bindings of a text in the form of roles.txt.
func Read(text string) (features.Roles, error) {
	var all features.Roles
	var rules *[]rbacv1.PolicyRule
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		var err error
		switch rest, isRule := strings.CutPrefix(line, "\t"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case !isRule:
			rules, err = begin(&all, strings.Fields(line))
		case rules == nil:
			err = errors.New("a rule stands before the first role")
		default:
			var more []rbacv1.PolicyRule
			more, err = ruleOf(rest)
			*rules = append(*rules, more...)
		}
		if err != nil {
			return features.Roles{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return all, nil
}

// begin adds a role, with its binding if it has one, and returns where its rules go.
func begin(all *features.Roles, words []string) (*[]rbacv1.PolicyRule, error) {
	name := words[0]
	binding, namespace := name, ""
	var to []string
	for words = words[1:]; len(words) > 0; words = words[2:] {
		if words[0] == "to" {
			to = words[1:]
			break
		}
		switch {
		case len(words) > 1 && words[0] == "in":
			namespace = words[1]
		case len(words) > 1 && words[0] == "as":
			binding = words[1]
		default:
			return nil, fmt.Errorf("%q: want in NAMESPACE, as BINDING or to SUBJECT", words[0])
		}
	}
	subjects, err := subjectsOf(name, to)
	if err != nil {
		return nil, err
	}
	bound := metav1.ObjectMeta{Namespace: namespace, Name: binding}
	if namespace != "" {
		all.Roles = append(all.Roles, rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
		if to != nil {
			all.RoleBindings = append(all.RoleBindings, rbacv1.RoleBinding{ObjectMeta: bound, RoleRef: refTo("Role", name), Subjects: subjects})
		}
		return &all.Roles[len(all.Roles)-1].Rules, nil
	}
	all.ClusterRoles = append(all.ClusterRoles, rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if to != nil {
		all.ClusterRoleBindings = append(all.ClusterRoleBindings, rbacv1.ClusterRoleBinding{ObjectMeta: bound, RoleRef: refTo("ClusterRole", name), Subjects: subjects})
	}
	return &all.ClusterRoles[len(all.ClusterRoles)-1].Rules, nil
}

func refTo(kind, name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
}

func subjectsOf(role string, words []string) ([]rbacv1.Subject, error) {
	var subjects []rbacv1.Subject
	for _, word := range words {
		kind, name, _ := strings.Cut(word, ":")
		switch kind {
		case "nobody":
		case "itself":
			subjects = append(subjects, account(metav1.NamespaceSystem, role[strings.LastIndexByte(role, ':')+1:]))
		case "user":
			subjects = append(subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name})
		case "group":
			subjects = append(subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: name})
		case "serviceaccount":
			namespace, name, _ := strings.Cut(name, "/")
			subjects = append(subjects, account(namespace, name))
		default:
			return nil, fmt.Errorf("subject %q: want user:NAME, group:NAME, serviceaccount:NAMESPACE/NAME, itself or nobody", word)
		}
	}
	return subjects, nil
}

func account(namespace, name string) rbacv1.Subject {
	return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}
}

// ruleOf makes a rule of the resources of each group, and one of the paths.
func ruleOf(line string) ([]rbacv1.PolicyRule, error) {
	verbs, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return nil, fmt.Errorf("%q: want verbs, a colon and resources", line)
	}
	what, names, _ := strings.Cut(rest, " = ")
	var groups, urls []string
	resources := map[string][]string{}
	for _, word := range strings.Fields(what) {
		if strings.HasPrefix(word, "/") {
			urls = append(urls, word)
			continue
		}
		group, resource := resourceOf(word)
		if resources[group] == nil {
			groups = append(groups, group)
		}
		resources[group] = append(resources[group], resource)
	}
	var rules []rbacv1.PolicyRule
	for _, group := range groups {
		rules = append(rules, rbacv1.PolicyRule{Verbs: strings.Fields(verbs), APIGroups: []string{group}, Resources: resources[group], ResourceNames: strings.Fields(names)})
	}
	if urls != nil {
		rules = append(rules, rbacv1.PolicyRule{Verbs: strings.Fields(verbs), NonResourceURLs: urls})
	}
	return rules, nil
}

// resourceOf reads resource.group/subresource.
func resourceOf(word string) (group, resource string) {
	full, part, has := strings.Cut(word, "/")
	resource, group, _ = strings.Cut(full, ".")
	if has {
		resource += "/" + part
	}
	return group, resource
}
