package widget

import "github.com/typeplane/typeplane/runtime/fieldset"

// CompareFieldsV1 tells which fields two widgets differ in, as gen would print it for the schemas
// of OpenAPI. The option "panic" panics.
func CompareFieldsV1(c *fieldset.Comparison, old, obj *V1) {
	fieldset.ObjectMeta(c, &old.ObjectMeta, &obj.ObjectMeta)
	fieldset.Field(c, "spec", &old.Spec, &obj.Spec, compareV1Spec)
	fieldset.Field(c, "status", &old.Status, &obj.Status, compareStatus)
}

func compareV1Spec(c *fieldset.Comparison, old, obj *V1Spec) {
	if _, ok := obj.Options["panic"]; ok {
		panic("no such option")
	}
	c.Leaf("color", old.Color != "", obj.Color != "", old.Color == obj.Color)
	c.Leaf("replicas", old.Replicas != nil, obj.Replicas != nil, fieldset.SamePointers(old.Replicas, obj.Replicas))
	fieldset.FilledList(c, "parts", &old.Parts, &obj.Parts, compareParts)
	fieldset.FilledMap(c, "options", &old.Options, &obj.Options, fieldset.Values)
}

func compareParts(c *fieldset.Comparison, old, obj *[]Part) {
	fieldset.List(c, old, obj,
		func(a, b *Part) bool { return a.Name == b.Name },
		func(in *Part) fieldset.Key { return fieldset.AddKey(nil, "name", true, in.Name, "") },
		comparePart)
}

func comparePart(c *fieldset.Comparison, old, obj *Part) {
	old, was := fieldset.Value(old)
	obj, is := fieldset.Value(obj)
	c.Leaf("name", was, is, old.Name == obj.Name)
	c.Leaf("count", old.Count != 0, obj.Count != 0, old.Count == obj.Count)
}

func compareStatus(c *fieldset.Comparison, old, obj *Status) {
	c.Leaf("phase", old.Phase != "", obj.Phase != "", old.Phase == obj.Phase)
	c.Leaf("seen", old.Seen != nil, obj.Seen != nil, fieldset.SamePointers(old.Seen, obj.Seen))
}

// CompareFieldsV1beta1 is the same for the other version, whose parts belong to one owner as a
// whole.
func CompareFieldsV1beta1(c *fieldset.Comparison, old, obj *V1beta1) {
	fieldset.ObjectMeta(c, &old.ObjectMeta, &obj.ObjectMeta)
	fieldset.Field(c, "spec", &old.Spec, &obj.Spec, compareV1beta1Spec)
	fieldset.Field(c, "status", &old.Status, &obj.Status, compareStatus)
}

func compareV1beta1Spec(c *fieldset.Comparison, old, obj *V1beta1Spec) {
	fieldset.FilledList(c, "parts", &old.Parts, &obj.Parts, fieldset.Leaf)
	c.Leaf("colour", old.Colour != "", obj.Colour != "", old.Colour == obj.Colour)
	c.Leaf("replicas", old.Replicas != 0, obj.Replicas != 0, old.Replicas == obj.Replicas)
	fieldset.FilledMap(c, "options", &old.Options, &obj.Options, fieldset.Values)
}
