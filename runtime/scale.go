package runtime

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Scale is what the scale subresource shows of an object.
type Scale struct {
	// Replicas is how many are wanted, Current how many there are.
	Replicas, Current int32
	// Selector finds them, in the form of a labelSelector parameter; "" is unknown.
	Selector string
}

// Scale returns what the scale subresource shows of an object. The kind must be Scalable.
func (k *Kind) Scale(obj Object) Scale { return k.scale(obj) }

// SetReplicas changes how many replicas an object asks for. The kind must be Scalable.
func (k *Kind) SetReplicas(obj Object, replicas int32) { k.setReplicas(obj, replicas) }

// Scalable says whether the version has a scale subresource.
func (k *Kind) Scalable() bool { return k.scale != nil && k.setReplicas != nil }

// SelectorText writes a label selector as Scale.Selector has it: "" for none and for one that means
// nothing.
func SelectorText(selector *metav1.LabelSelector) string {
	if selector == nil {
		return ""
	}
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return ""
	}
	return s.String()
}

// scaling checks that a version has both functions of its scale subresource or none, and that they
// bear an empty object.
func (c *checker) scaling(k *Kind, bad func(string, ...any)) {
	switch {
	case k.scale == nil && k.setReplicas == nil:
		return
	case k.scale == nil || k.setReplicas == nil:
		bad("its scale can be read or written, but not both: set Scale and SetReplicas")
		return
	}
	defer func() {
		if r := recover(); r != nil {
			bad("Scale or SetReplicas panics for an empty object (%v): both must take every object", r)
		}
	}()
	const probe = 3
	obj := k.new()
	k.scale(obj)
	k.setReplicas(obj, probe)
	if got := k.scale(obj).Replicas; got != probe {
		bad("SetReplicas sets %d and Scale then returns %d: they must be about the same field", probe, got)
	}
}
