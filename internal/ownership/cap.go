package ownership

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const (
	// maxUpdaters is how many owners of one object there may be that write without applying. If
	// there are more, the oldest become one owner for each version, which is called ancient.
	maxUpdaters = 10
	ancient     = "ancient-changes"
)

// cap joins the oldest owners if there are too many.
func (l *ownerList) cap() error {
	var updaters []int
	for i, o := range *l {
		if o.Operation == metav1.ManagedFieldsOperationUpdate {
			updaters = append(updaters, i)
		}
	}
	over := len(updaters) - maxUpdaters
	if over <= 0 {
		return nil
	}
	l.sortByAge(updaters)
	buckets, gone := map[string]*bucket{}, map[int]bool{}
	for _, i := range updaters {
		version := (*l)[i].APIVersion
		b, seen := buckets[version]
		switch {
		case over == 0:
		case !seen:
			buckets[version] = &bucket{oldest: i, into: -1}
		default:
			gone[b.join(*l, i)] = true
			over--
		}
	}
	for _, b := range buckets {
		if err := b.close(*l); err != nil {
			return err
		}
	}
	left := (*l)[:0]
	for i, o := range *l {
		if !gone[i] {
			left = append(left, o)
		}
	}
	*l = left
	return nil
}

// sortByAge puts owners, of which it gets the places, in the order in which they have written.
func (l ownerList) sortByAge(places []int) {
	texts := make(map[int]string, len(places))
	for _, i := range places {
		texts[i] = identityText(l[i].ManagedFieldsEntry)
	}
	slices.SortFunc(places, func(i, j int) int {
		return cmp.Or(cmp.Compare(seconds(&l[i].ManagedFieldsEntry), seconds(&l[j].ManagedFieldsEntry)), strings.Compare(texts[i], texts[j]))
	})
}

// bucket is what the oldest owners in one version become.
type bucket struct {
	oldest int   // the place of the first owner in this version
	into   int   // that of the owner that the others become; -1 until there are others
	joined []int // those of the others
}

// join makes an owner part of the bucket, and returns the place that is free then. The bucket is
// the one that is among the owners already, or the oldest owner becomes it.
func (b *bucket) join(l ownerList, i int) (from int) {
	if b.into < 0 {
		entry := metav1.ManagedFieldsEntry{Manager: ancient, Operation: l[i].Operation, APIVersion: l[i].APIVersion}
		if b.into = l.index(entry); b.into < 0 {
			b.into = b.oldest
			l[b.into].Manager, l[b.into].Subresource = ancient, ""
		}
	}
	from = i
	if i == b.into {
		// What was joined before is younger than an owner; apimachinery would join it with itself,
		// and lose it.
		from, b.oldest = b.oldest, i
	} else {
		l[b.into].Time = l[i].Time
	}
	b.joined = append(b.joined, from)
	return from
}

// close gives the bucket the fields of all that have joined it.
func (b *bucket) close(l ownerList) error {
	if len(b.joined) == 0 {
		return nil
	}
	var sets []*fieldpath.Set
	for _, i := range append(b.joined, b.into) {
		set, err := l[i].fields()
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	return l[b.into].setFields(union(sets))
}

func (l ownerList) index(e metav1.ManagedFieldsEntry) int {
	return slices.IndexFunc(l, func(o owner) bool { return sameIdentity(&o.ManagedFieldsEntry, &e) })
}

// identityText is by what apimachinery orders owners that wrote in the same second, and conflicts.
func identityText(e metav1.ManagedFieldsEntry) string {
	one := metav1.ManagedFieldsEntry{Manager: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, Subresource: e.Subresource}
	if e.Operation == metav1.ManagedFieldsOperationApply {
		one.APIVersion = ""
	}
	text, err := json.Marshal(one)
	if err != nil {
		panic(err) // impossible: these are strings
	}
	return string(text)
}
