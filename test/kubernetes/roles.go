package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// ownRoles are those that the server makes of what it serves, and not of a list.
var ownRoles = []string{"admin", "edit", "view", "system:aggregate-to-admin", "system:aggregate-to-edit", "system:aggregate-to-view"}

// ownBinding is the user that the server is for a kubelet. A kube-apiserver is told by a flag.
const ownBinding = "ClusterRoleBinding kube-apiserver-kubelet-client"

// grant is what of a role or a binding is looked at.
type grant struct {
	Kind     string
	Metadata struct{ Namespace, Name string }
	Rules    []struct{ Verbs, APIGroups, Resources, ResourceNames, NonResourceURLs []string }
	RoleRef  struct{ Kind, Name string }
	Subjects []struct{ Kind, Namespace, Name string }
}

func (g *grant) key() string {
	return g.Kind + " " + strings.TrimPrefix(g.Metadata.Namespace+"/"+g.Metadata.Name, "/")
}

// parts are the single things that it says: each verb on each resource, or each subject.
func (g *grant) parts() map[string]bool {
	parts := map[string]bool{}
	for _, r := range g.Rules {
		names := r.ResourceNames
		if len(names) == 0 {
			names = []string{"any"}
		}
		for _, verb := range r.Verbs {
			for _, url := range r.NonResourceURLs {
				parts[verb+" "+url] = true
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					for _, name := range names {
						parts[fmt.Sprintf("%s %s %q %s", verb, resource, group, name)] = true
					}
				}
			}
		}
	}
	for _, s := range g.Subjects {
		parts[fmt.Sprintf("%s %s of %s/%s", g.RoleRef.Kind, g.RoleRef.Name, s.Namespace, s.Name)] = true
	}
	return parts
}

// roles says where the roles that the server begins with differ from those of a kube-apiserver,
// which are in a file beside the programs.
func (c *cluster) roles(ctx context.Context) ([]string, error) {
	theirs, err := c.grants(ctx, "create --dry-run=client -o json -f "+filepath.Join(c.bin, "kube-roles.yaml"))
	if err != nil {
		return nil, err
	}
	ours, err := c.grants(ctx, "get clusterroles,clusterrolebindings,roles,rolebindings -A -l kubernetes.io/bootstrapping=rbac-defaults -o json")
	if err != nil {
		return nil, err
	}
	if len(theirs) < 100 {
		return nil, fmt.Errorf("the file has %d roles and bindings: make kubernetes writes it", len(theirs))
	}
	var differences []string
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if theirs[key] == nil && key != ownBinding {
			differences = append(differences, key+": only here")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		switch is := ours[key]; {
		case slices.Contains(ownRoles, theirs[key].Metadata.Name):
		case is == nil:
			differences = append(differences, key+": missing")
		default:
			differences = append(differences, compare(key, is.parts(), theirs[key].parts())...)
		}
	}
	return differences, nil
}

func compare(key string, ours, theirs map[string]bool) (differences []string) {
	for _, part := range slices.Sorted(maps.Keys(theirs)) {
		if !ours[part] {
			differences = append(differences, key+": without "+part)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(ours)) {
		if !theirs[part] {
			differences = append(differences, key+": has "+part)
		}
	}
	return differences
}

// grants are the objects that a command of kubectl prints, as a list or one after the other.
func (c *cluster) grants(ctx context.Context, command string) (map[string]*grant, error) {
	out, err := c.kubectl(ctx, "", command)
	if err != nil {
		return nil, err
	}
	all := map[string]*grant{}
	for lists := json.NewDecoder(strings.NewReader(out)); ; {
		var list struct {
			grant
			Items []*grant
		}
		if err := lists.Decode(&list); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("kubectl %s: %w", command, err)
		}
		if list.Kind != "List" {
			list.Items = []*grant{&list.grant}
		}
		for _, g := range list.Items {
			all[g.key()] = g
		}
	}
}
