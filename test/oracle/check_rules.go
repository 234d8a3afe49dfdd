package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The rules around books: namespaces, quotas and webhooks. Histories without them break none.

// checkQuotas is C16.
func checkQuotas(v *view) []string {
	var bad []string
	count := map[string]int64{}
	quotas, versions := v.Truth.Quotas, v.Truth.Versions
	held := map[string]Quota{}
	for len(quotas)+len(versions) > 0 && len(v.Truth.Quotas) > 0 {
		revision, namespace, grew := nextRevision(quotas, versions), "", int64(0)
		if len(versions) > 0 && versions[0].Revision == revision {
			ver := &versions[0]
			namespace, _, _ = strings.Cut(ver.Key, "/")
			grew = v.growth(ver)
			count[namespace] += grew
			versions = versions[1:]
		}
		if limit, ok := held[namespace]; ok && grew > 0 && count[namespace] > limit.Hard {
			bad = append(bad, fmt.Sprintf("revision %d makes %d books of namespace %s, whose quota allows %d", revision, count[namespace], namespace, limit.Hard))
		}
		for ; len(quotas) > 0 && quotas[0].Revision == revision; quotas = quotas[1:] {
			namespace = quotas[0].Namespace
			held[namespace] = quotas[0]
			if quotas[0].Gone {
				delete(held, namespace)
			}
		}
		if limit, ok := held[namespace]; ok && limit.Used != count[namespace] {
			bad = append(bad, fmt.Sprintf("the quota of namespace %s says %d at revision %d, and there are %d books", namespace, limit.Used, revision, count[namespace]))
		}
	}
	return bad
}

func nextRevision(quotas []Quota, versions []Version) int64 {
	switch {
	case len(quotas) == 0:
		return versions[0].Revision
	case len(versions) == 0:
		return quotas[0].Revision
	}
	return min(quotas[0].Revision, versions[0].Revision)
}

// growth is how many books a version makes more of.
func (v *view) growth(ver *Version) int64 {
	before, _ := v.held(ver.Key, ver.Revision-1)
	switch {
	case ver.Deleted && before != nil:
		return -1
	case !ver.Deleted && before == nil:
		return 1
	}
	return 0
}

// checkNamespaces is C17.
func checkNamespaces(v *view) []string {
	var bad []string
	if len(v.Truth.Namespaces) == 0 {
		return nil
	}
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		if v.growth(ver) <= 0 {
			continue
		}
		if namespace, _, _ := strings.Cut(ver.Key, "/"); !v.spaceAt(namespace, ver.Revision-1).open() {
			bad = append(bad, fmt.Sprintf("%s was created in a namespace that was missing or being deleted", ver))
		}
	}
	for _, space := range v.Truth.Namespaces {
		if !space.Gone {
			continue
		}
		s := v.states()
		s.to(space.Revision)
		if left := s.list(Scope{Namespace: space.Name}, ""); len(left) > 0 {
			bad = append(bad, fmt.Sprintf("namespace %s went at revision %d, and left %v", space.Name, space.Revision, left))
		}
	}
	return bad
}

// open says whether books may be created in a namespace.
func (n Namespace) open() bool { return !n.Gone && !n.Terminating }

// spaceAt is what a namespace was at a revision.
func (v *view) spaceAt(name string, revision int64) Namespace {
	for _, n := range slices.Backward(v.Truth.Namespaces) {
		if n.Name == name && n.Revision <= revision {
			return n
		}
	}
	return Namespace{Name: name, Gone: true}
}

// checkHooks is C18.
func checkHooks(v *view) []string {
	if !v.Hooked {
		return nil
	}
	var bad []string
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		before, _ := v.held(ver.Key, ver.Revision-1)
		switch {
		case ver.Deleted:
		case ver.Stamp != stampOf(ver.Content):
			bad = append(bad, fmt.Sprintf("%s was not shown to the webhook that stamps as it is stored: %+v", ver, ver.Content))
		case before != nil && forbidden(before.Content, ver.Content), before == nil && forbidden(Content{}, ver.Content):
			bad = append(bad, fmt.Sprintf("%s, which followed %s, is what a webhook refuses", ver, before))
		}
	}
	return bad
}

// ruledOut says whether a refusal is for a rule, and if what it says was so at a revision from low
// to high.
func (v *view) ruledOut(op *Op, low, high int64) (so, ruled bool) {
	namespace, _, _ := strings.Cut(op.Key, "/")
	switch {
	case op.refusedForQuota():
		return slices.ContainsFunc(v.quotasWithin(namespace, low, high), func(q Quota) bool { return !q.Gone && q.Used >= q.Hard }), true
	case op.refusedForNamespace():
		// A server may believe its cache that a namespace is being deleted.
		return slices.ContainsFunc(v.spacesWithin(namespace, 0, high), func(n Namespace) bool { return n.Terminating }), true
	case op.Status == http.StatusNotFound && strings.HasPrefix(op.Message, `NotFound: namespaces "`):
		return slices.ContainsFunc(v.spacesWithin(namespace, low, high), func(n Namespace) bool { return n.Gone }), true
	case denied(op.Message):
		return slices.ContainsFunc(v.during(op.Key, low, high), func(ver *Version) bool {
			return ver != nil && forbidden(ver.Content, op.after(ver).Content)
		}), true
	}
	return false, false
}

func (op *Op) refusedForQuota() bool { return strings.Contains(op.Message, "exceeded quota") }

func (op *Op) refusedForNamespace() bool {
	return strings.Contains(op.Message, "because it is being terminated")
}

// quotasWithin are what the quota of a namespace said at the revisions from low to high.
func (v *view) quotasWithin(namespace string, low, high int64) []Quota {
	var all []Quota
	for _, q := range v.Truth.Quotas {
		switch {
		case q.Namespace != namespace || q.Revision > high:
		case q.Revision <= low:
			all = []Quota{q}
		default:
			all = append(all, q)
		}
	}
	return all
}

// spacesWithin is what a namespace was at the revisions from low to high.
func (v *view) spacesWithin(name string, low, high int64) []Namespace {
	all := []Namespace{v.spaceAt(name, low)}
	for _, n := range v.Truth.Namespaces {
		if n.Name == name && n.Revision > low && n.Revision <= high {
			all = append(all, n)
		}
	}
	return all
}
