package quota

import (
	"maps"
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

// use returns the usage of an object; nil is one that can't be read, of which only is known that it
// is there.
func (k *kind) use(obj apiruntime.Object) *usage {
	u := &usage{used: corev1.ResourceList{}}
	for _, name := range k.counts {
		u.used[name] = one()
	}
	switch {
	case k.measure == nil:
	case obj == nil && k.name.Group == "":
		u.used[corev1.ResourceName(k.name.Resource)] = one()
	default:
		k.measure(obj, u)
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

// change is what a request is about to do.
func (k *kind) change(r *admission.Request) change {
	var c change
	switch r.Operation {
	case admission.Create:
		c.after = k.use(r.Object)
	case admission.Delete:
		c.before = k.use(r.Old)
	case admission.Update:
		if k.measure == nil {
			break
		}
		// A subresource may have objects of other types. They change nothing that is used here.
		before, after := k.use(nil), k.use(nil)
		before.used, after.used = corev1.ResourceList{}, corev1.ResourceList{}
		if k.measure(r.Old, before) && k.measure(r.Object, after) {
			c = change{before: before, after: after}
		}
	}
	if k.ofQuotas() {
		c.quota = r.Name
	}
	c.demand = k.demands(c)
	return c
}

// nothing says that no quota can be concerned.
func (c change) nothing() bool {
	if c.before == nil || c.after == nil {
		return c.before == c.after
	}
	return len(difference(c.after.used, c.before.used)) == 0 && sameScopes(c.before, c.after)
}

// onlyLess says that a write asks for nothing more.
func (c change) onlyLess() bool {
	if c.after == nil {
		return true
	}
	return c.before != nil && !slices.ContainsFunc(slices.Collect(maps.Values(difference(c.after.used, c.before.used))),
		func(amount resource.Quantity) bool { return amount.Sign() > 0 })
}

// gives says whether objects of the kind may use a resource.
func (k *kind) gives(name corev1.ResourceName) bool {
	return slices.Contains(k.counts, name) || k.measures != nil && k.measures(name)
}

func one() resource.Quantity { return *resource.NewQuantity(1, resource.DecimalSI) }
