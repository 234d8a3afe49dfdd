package quota

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/internal/quantity"
	"github.com/typeplane/typeplane/storage"
)

// after is the quota with a change charged to it, nil if it has nothing to do with the change. The
// error is for the client.
func (q quota) after(c change) (*corev1.ResourceQuota, error) {
	if q.broken != nil {
		if c.onlyLess() {
			return nil, nil // it will be counted when it can be read
		}
		return nil, fmt.Errorf("quota %s can't be read, and may limit this: delete it, or see to it that it can be read", q.Name)
	}
	before, after := q.share(c.before), q.share(c.after)
	delta := difference(after, before)
	asksMore := len(risen(delta)) > 0
	if q.matches(c.after) && (c.before == nil || asksMore) {
		if missing := missing(c.after.pod, q.Status.Hard); missing != "" {
			return nil, fmt.Errorf("failed quota: %s: must specify %s", q.Name, missing)
		}
	}
	if len(delta) == 0 {
		return nil, nil
	}
	if unknown := q.unknown(quantity.SortedNames(delta)); len(unknown) > 0 {
		if !asksMore {
			return nil, nil // it will be counted, and without this object
		}
		return nil, fmt.Errorf("status unknown for quota: %s, resources: %s", q.Name, strings.Join(unknown, ","))
	}

	next := *q.ResourceQuota
	next.Status.Used = corev1.ResourceList{}
	quantity.Add(next.Status.Used, q.Status.Used)
	quantity.Add(next.Status.Used, delta)
	var exceeded []corev1.ResourceName
	for _, name := range quantity.SortedNames(delta) {
		amount, used := delta[name], next.Status.Used[name]
		switch {
		case used.Sign() < 0:
			// What is released was never charged, because a server without the plug-in wrote it.
			// Without a used amount, the quota is counted again (counter.go).
			delete(next.Status.Used, name)
		case amount.Sign() > 0 && used.Cmp(q.Status.Hard[name]) > 0:
			exceeded = append(exceeded, name)
		}
	}
	if len(exceeded) > 0 {
		return nil, fmt.Errorf("exceeded quota: %s, requested: %s, used: %s, limited: %s", q.Name,
			shown(delta, exceeded), shown(q.Status.Used, exceeded), shown(q.Status.Hard, exceeded))
	}
	return &next, nil
}

// share is what of an object's usage is the quota's concern.
func (q quota) share(u *usage) corev1.ResourceList {
	if !q.matches(u) {
		return nil
	}
	return masked(u.used, q.Spec.Hard)
}

// unknown are those of some resources of which the status says nothing: nobody has counted yet.
func (q quota) unknown(names []corev1.ResourceName) (unknown []string) {
	for _, name := range names {
		_, used := q.Status.Used[name]
		hard, limited := q.Status.Hard[name]
		if !used || !limited || hard.Cmp(q.Spec.Hard[name]) != 0 {
			unknown = append(unknown, string(name))
		}
	}
	return unknown
}

// sameSpec says whether two specs limit the same.
func sameSpec(a, b *corev1.ResourceQuotaSpec) bool {
	return sameList(a.Hard, b.Hard) && slices.Equal(a.Scopes, b.Scopes) && reflect.DeepEqual(a.ScopeSelector, b.ScopeSelector)
}

// fill counts what there is, and makes the status of a quota of it. created says that the quota is
// not stored yet. opts say of which state; alive is called often.
func (q *quotas) fill(ctx context.Context, next *corev1.ResourceQuota, created bool, opts storage.ListOptions, alive func() error) error {
	to := quota{ResourceQuota: next}
	next.Status = corev1.ResourceQuotaStatus{Hard: corev1.ResourceList{}, Used: corev1.ResourceList{}}
	for name, amount := range next.Spec.Hard {
		next.Status.Hard[name], next.Status.Used[name] = amount.DeepCopy(), *resource.NewQuantity(0, amount.Format)
	}
	for _, k := range q.all {
		if !slices.ContainsFunc(quantity.SortedNames(next.Spec.Hard), k.gives) {
			continue
		}
		page, err := k.objects.List(ctx, next.Namespace, opts)
		if err != nil {
			return err
		}
		for _, entry := range page.Entries {
			obj, err := k.read(*entry)
			if err != nil {
				return err
			}
			quantity.Add(next.Status.Used, to.share(k.use(obj)))
			if err := alive(); err != nil {
				return err
			}
		}
		if created && k.ofQuotas() {
			quantity.Add(next.Status.Used, to.share(k.use(next)))
		}
	}
	return nil
}

// read decodes an entry, if what it holds matters. What can't be read is counted as one.
func (k *kind) read(entry storage.Entry) (apiruntime.Object, error) {
	if k.measure == nil || entry.Err != nil {
		return nil, nil
	}
	return k.objects.Decode(entry)
}
