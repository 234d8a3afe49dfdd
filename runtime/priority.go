package runtime

import (
	"cmp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Stability of a version, in the order of preference.
const (
	stable = iota
	beta
	alpha
	unknown
)

// CompareVersions orders versions as Kubernetes prefers them, the best first: v2, v1, v1beta2,
// v1beta1, v1alpha1. What is not of that shape comes last, by name.
func CompareVersions(a, b string) int {
	astability, amajor, aminor := parseVersion(a)
	bstability, bmajor, bminor := parseVersion(b)
	return cmp.Or(
		cmp.Compare(astability, bstability),
		cmp.Compare(bmajor, amajor),
		cmp.Compare(bminor, aminor),
		strings.Compare(a, b),
	)
}

// parseVersion takes "v2beta3" apart.
func parseVersion(v string) (stability, major, minor int) {
	rest, ok := strings.CutPrefix(v, "v")
	if !ok {
		return unknown, 0, 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	major, err := strconv.Atoi(rest[:end])
	if err != nil {
		return unknown, 0, 0
	}
	rest = rest[end:]
	switch {
	case rest == "":
		return stable, major, 0
	case strings.HasPrefix(rest, "beta"):
		stability, rest = beta, rest[len("beta"):]
	case strings.HasPrefix(rest, "alpha"):
		stability, rest = alpha, rest[len("alpha"):]
	default:
		return unknown, 0, 0
	}
	minor, err = strconv.Atoi(rest)
	if err != nil || rest[0] < '0' || rest[0] > '9' {
		return unknown, 0, 0
	}
	return stability, major, minor
}

func compareKinds(a, b *Kind) int {
	return cmp.Or(
		strings.Compare(a.gvk.Group, b.gvk.Group),
		strings.Compare(a.gvk.Kind, b.gvk.Kind),
		CompareVersions(a.gvk.Version, b.gvk.Version),
	)
}

func compareGroupVersions(a, b schema.GroupVersion) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), CompareVersions(a.Version, b.Version))
}
