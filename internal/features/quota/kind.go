package quota

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
)

// kind says what the objects of one resource use.
type kind struct {
	objects Objects
	name    schema.GroupResource // the hub's
	// counts are the names under which each object counts as one.
	counts []corev1.ResourceName
	// measure adds what else an object uses, and what scopes ask about it; nil: it is only counted.
	// ok is false for an object of another type.
	measure func(obj apiruntime.Object, to *usage) (ok bool)
	// measures says whether measure can give a resource of this name.
	measures func(corev1.ResourceName) bool
	limits   []Limited
}

// counted are the resources of the core group that have a name of their own for how many there are.
var counted = []string{"configmaps", "replicationcontrollers", "resourcequotas", "secrets"}

func newKind(objects Objects) *kind {
	k := &kind{objects: objects, name: objects.Names()[0]}
	for _, name := range objects.Names() {
		k.counts = append(k.counts, corev1.ResourceName("count/"+name.String()))
	}
	switch k.name.String() {
	case "pods":
		k.measure, k.measures = measurePod, podMeasures
	case "services":
		k.measure, k.measures = measureService, serviceMeasures
	case "persistentvolumeclaims":
		k.measure, k.measures = measureClaim, claimMeasures
	case "resourceclaims.resource.k8s.io":
		k.measure, k.measures = measureDevices, devicesMeasure
	}
	if k.name.Group == "" && slices.Contains(counted, k.name.Resource) {
		k.counts = append(k.counts, corev1.ResourceName(k.name.Resource))
	}
	return k
}

func (k *kind) ofQuotas() bool { return k.name == schema.GroupResource{Resource: "resourcequotas"} }

// usage is what one object uses, and what scopes ask about it.
type usage struct {
	used  corev1.ResourceList
	pod   *corev1.Pod
	claim *corev1.PersistentVolumeClaim
}

// use returns the usage of an object. nil stands for an object that cannot be read: it counts as
// one, and is in no scope.
func (k *kind) use(obj apiruntime.Object) *usage {
	u := k.counted()
	switch {
	case k.measure == nil:
	case obj == nil && k.name.Group == "":
		u.used[corev1.ResourceName(k.name.Resource)] = one()
	default:
		k.measure(obj, u)
	}
	return u
}

// counted returns the usage of an object of which only its existence is known.
func (k *kind) counted() *usage {
	u := &usage{used: corev1.ResourceList{}}
	for _, name := range k.counts {
		u.used[name] = one()
	}
	return u
}

// change is what a write does: an object uses after instead of before; nil stands for no object.
type change struct {
	before, after *usage
	// quota is the name of the ResourceQuota that is written, if it is one: it is not charged.
	quota string
	// demand is what quotas have to cover.
	demand demand
}

// change returns the change that a request makes.
func (k *kind) change(r *admission.Request) change {
	var c change
	switch r.Operation {
	case admission.Create:
		c.after = k.use(r.Object)
	case admission.Delete:
		c.before = k.use(r.Old)
	case admission.Update:
		c.before, c.after = k.changed(r)
	}
	if k.ofQuotas() {
		c.quota = r.Name
	}
	c.demand = k.demands(c)
	return c
}

// changed returns the usage of an object before and after an update, nil where an update cannot
// change it. Both usages contain the counts, because an object that moves into another scope is
// counted there, and no longer in its old scope.
func (k *kind) changed(r *admission.Request) (before, after *usage) {
	if k.measure == nil {
		return nil, nil
	}
	before, after = k.counted(), k.counted()
	if !k.measure(r.Old, before) || !k.measure(r.Object, after) {
		return nil, nil // the body of a subresource, which is of another type
	}
	return before, after
}

// nothing says that no quota can be concerned.
func (c change) nothing() bool {
	if c.before == nil || c.after == nil {
		return c.before == c.after
	}
	return len(difference(c.after.used, c.before.used)) == 0 && sameScopes(c.before, c.after)
}

// onlyLess reports whether a write asks for nothing more, and moves into no other scope.
func (c change) onlyLess() bool {
	if c.after == nil || c.before == nil {
		return c.after == nil
	}
	return len(c.more()) == 0 && sameScopes(c.before, c.after)
}

// more returns the names of the resources that an object uses more of after the change.
func (c change) more() (names []corev1.ResourceName) {
	if c.after == nil {
		return nil
	}
	before := corev1.ResourceList{}
	if c.before != nil {
		before = c.before.used
	}
	return risen(difference(c.after.used, before))
}

// gives says whether objects of the kind may use a resource.
func (k *kind) gives(name corev1.ResourceName) bool {
	return slices.Contains(k.counts, name) || k.measures != nil && k.measures(name)
}

func one() resource.Quantity { return *resource.NewQuantity(1, resource.DecimalSI) }
