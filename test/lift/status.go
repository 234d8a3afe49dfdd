package lift

import (
	"maps"
	"math/rand/v2"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// ofStatus is how many mutations there are of a status.
const ofStatus = 200

// statuses compares what happens to the status of a stored object, written to the subresource.
// First it writes one that is made field by field, then one with each thing in it made wrong.
// stored is what the definition has of the object.
func (l *lifted) statuses(d *definition, path string, stored, metadata map[string]any, by *rand.Rand) {
	l.Helper()
	if d.status == nil || l.withStatus[d.gvk] {
		return
	}
	s := d.schema.Properties["status"]
	stored = withMetadata(stored, map[string]any{"metadata": metadata})
	judge := func(query, at, what string, doc map[string]any) (theirs, ours verdict) {
		theirs, ours = d.updateStatus(doc, stored), l.server.judge("PUT", path+"/status"+query, doc)
		l.compare(finding{kind: d.gvk, stored: d.version.Storage, verb: "status", path: at, what: what}, theirs, ours)
		return theirs, ours
	}
	doc := maps.Clone(stored)
	doc["status"] = least(&s, 1)
	doc = madeOf(doc, &s, []any{"status"}, func(doc map[string]any) []string {
		theirs, ours := judge(dryRun, "status", "made", doc)
		return append(theirs.wrong, ours.wrong...)
	})
	if doc == nil {
		return
	}
	theirs, ours := judge("", "status", "made", doc)
	if !theirs.accepted || !ours.accepted {
		return // which is told
	}
	l.withStatus[d.gvk] = true
	stored = withMetadata(theirs.object, ours.object)
	alone := &structural.Structural{Properties: map[string]structural.Structural{"status": s}}
	all := some(mutations(stored, alone), ofStatus, by)
	for range ofEach {
		all = append(all, random(stored, alone, by))
	}
	for _, m := range all {
		judge(dryRun, m.path, m.what, m.doc)
	}
}
