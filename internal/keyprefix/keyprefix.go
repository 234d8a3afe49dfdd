// Package keyprefix says where in the database the objects of a resource lie, below the root
// (/registry). gen and servers share it. So gen refuses what a server would not start with.
//
// A resource of Kubernetes' own groups has the prefix that a kube-apiserver has: a special one, or
// /<resource>/. All others have /<group>/<resource>/. A marker on a kind names another one for it.
package keyprefix

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// special are the prefixes of kube-apiserver that do not follow from the name of the resource.
// Source: SpecialDefaultResourcePrefixes in k8s.io/kubernetes/pkg/kubeapiserver.
var special = map[resource]string{
	{"", "replicationcontrollers"}:     "controllers",
	{"", "endpoints"}:                  "services/endpoints",
	{"", "nodes"}:                      "minions",
	{"", "services"}:                   "services/specs",
	{"extensions", "ingresses"}:        "ingress",
	{"networking.k8s.io", "ingresses"}: "ingress",
}

type resource struct{ group, plural string }

// Of is the prefix of a resource, with a slash at both ends. marked is what its marker says, ""
// without one; see Check.
func Of(group, plural, marked string) string {
	if marked == "" {
		marked = special[resource{group, plural}]
	}
	if marked != "" {
		return "/" + marked + "/"
	}
	return Plain(group, plural)
}

// Plain is the prefix of a resource by its name alone. All resources had it before there were
// special ones and markers.
func Plain(group, plural string) string {
	if kubernetesGroup(group) {
		return "/" + plural + "/"
	}
	return "/" + group + "/" + plural + "/"
}

func kubernetesGroup(group string) bool {
	switch group {
	case "", "apps", "batch", "autoscaling", "extensions", "policy":
		return true
	}
	return strings.HasSuffix(group, ".k8s.io")
}

// segment is a part of a path that needs no quoting anywhere. What begins with a dot is the
// database's own.
var segment = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// Check says what is wrong with the prefix in a marker.
func Check(marked string) error {
	for s := range strings.SplitSeq(marked, "/") {
		switch {
		case s == "":
			return errors.New("a slash begins it, ends it, or follows another")
		case !segment.MatchString(s):
			return fmt.Errorf("%q is no segment of small letters, digits, dots and hyphens", s)
		}
	}
	return nil
}

// Meet says whether two prefixes are the same, or one is inside the other: then objects of the one
// would be in lists of the other.
func Meet(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
