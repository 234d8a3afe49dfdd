package fieldset

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ObjectMeta compares the metadata of two objects, as far as somebody can own it. What a server
// fills in (uid, generation, managedFields and so on) and what names the object is nobody's.
func ObjectMeta(c *Comparison, old, obj *metav1.ObjectMeta) {
	c.Enter("metadata")
	FilledMap(c, "annotations", &old.Annotations, &obj.Annotations, Values)
	c.Leaf("deletionGracePeriodSeconds", old.DeletionGracePeriodSeconds != nil, obj.DeletionGracePeriodSeconds != nil,
		SamePointers(old.DeletionGracePeriodSeconds, obj.DeletionGracePeriodSeconds))
	Field(c, "deletionTimestamp", old.DeletionTimestamp, obj.DeletionTimestamp, Leaf)
	FilledList(c, "finalizers", &old.Finalizers, &obj.Finalizers, finalizers)
	c.Leaf("generateName", old.GenerateName != "", obj.GenerateName != "", old.GenerateName == obj.GenerateName)
	FilledMap(c, "labels", &old.Labels, &obj.Labels, Values)
	FilledList(c, "ownerReferences", &old.OwnerReferences, &obj.OwnerReferences, ownerReferences)
	c.Leave()
}

func finalizers(c *Comparison, old, obj *[]string) {
	SetOf(c, old, obj, func(s string) any { return s })
}

func ownerReferences(c *Comparison, old, obj *[]metav1.OwnerReference) {
	List(c, old, obj,
		func(a, b *metav1.OwnerReference) bool { return a.UID == b.UID },
		func(in *metav1.OwnerReference) Key { return AddKey(nil, "uid", true, string(in.UID), nil) },
		Leaf)
}
