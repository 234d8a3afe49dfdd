package ownership

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// maxUpdaters is how many owners of one object there may be that write without applying. If
	// there are more, the oldest become one owner for each version, which is called ancient.
	maxUpdaters = 10
	ancient     = "ancient-changes"
)

// cap joins the oldest owners if there are too many.
func (l *ownerList) cap() error {
	var updaters []metav1.ManagedFieldsEntry
	for _, o := range *l {
		if o.Operation == metav1.ManagedFieldsOperationUpdate {
			updaters = append(updaters, o.ManagedFieldsEntry)
		}
	}
	over := len(updaters) - maxUpdaters
	if over <= 0 {
		return nil
	}
	slices.SortFunc(updaters, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(cmp.Compare(seconds(&a), seconds(&b)), strings.Compare(identity(a), identity(b)))
	})
	oldest := map[string]metav1.ManagedFieldsEntry{} // by version
	for _, u := range updaters {
		first, seen := oldest[u.APIVersion]
		if over == 0 {
			break
		}
		if !seen {
			oldest[u.APIVersion] = u
			continue
		}
		bucket := metav1.ManagedFieldsEntry{Manager: ancient, Operation: u.Operation, APIVersion: u.APIVersion}
		if sameIdentity(&u, &bucket) {
			// What was joined before is younger than an owner; apimachinery would join it with
			// itself, and lose it.
			u, first = first, u
			u.Time = first.Time
			oldest[u.APIVersion] = bucket
		}
		if err := l.join(first, u, bucket); err != nil {
			return err
		}
		over--
	}
	return nil
}

// join makes an owner part of the bucket, which takes the place of first if there is none yet.
func (l *ownerList) join(first, joins, bucket metav1.ManagedFieldsEntry) error {
	into := l.index(bucket)
	if into < 0 {
		into = l.index(first)
		(*l)[into].Manager, (*l)[into].Subresource = bucket.Manager, ""
	}
	from := l.index(joins)
	set, err := (*l)[into].fields()
	if err != nil {
		return err
	}
	more, err := (*l)[from].fields()
	if err != nil {
		return err
	}
	(*l)[into].set, (*l)[into].Time = set.Union(more), joins.Time
	*l = slices.Delete(*l, from, from+1)
	return nil
}

func (l ownerList) index(e metav1.ManagedFieldsEntry) int {
	return slices.IndexFunc(l, func(o owner) bool { return sameIdentity(&o.ManagedFieldsEntry, &e) })
}

// identity is by which apimachinery orders owners that wrote in the same second, and conflicts.
func identity(e metav1.ManagedFieldsEntry) string {
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
