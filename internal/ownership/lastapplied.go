package ownership

import (
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/fieldset"
)

// kubectl is the manager that has applied objects on its own side before. What it applied last is
// in an annotation, which it takes for its own, and keeps.
const (
	kubectl     = "kubectl"
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

// withoutLastApplied are the conflicts that are none of fields which kubectl has applied itself.
func (a *application) withoutLastApplied(all conflicts) (left conflicts) {
	text := runtime.Meta(a.live).Annotations[lastApplied]
	if a.self.Manager != kubectl || text == "" {
		return all
	}
	applied, err := jsontree.Read([]byte(text), nil)
	gvk := a.kind.GroupVersionKind()
	if err != nil || applied["apiVersion"] != gvk.GroupVersion().String() || applied["kind"] != gvk.Kind ||
		a.in.schema.Check(applied, false) != nil || a.in.schema.Check(a.was, false) != nil {
		return all
	}
	c := new(fieldset.Comparison)
	a.in.schema.Compare(c, applied, a.was)
	if c.Err() != nil {
		return all
	}
	mine := a.in.schema.Fields(applied).FieldSet().Difference(c.Changed().FieldSet()).Difference(c.Removed().FieldSet())
	for _, one := range all {
		if !mine.Has(fieldpath.Path(one.path)) {
			left = append(left, one)
		}
	}
	return left
}

// updateLastApplied writes what kubectl has applied into the annotation, if there is one and there
// is room.
func (a *application) updateLastApplied(meta *metav1.ObjectMeta) {
	if a.self.Manager != kubectl || meta.Annotations[lastApplied] == "" {
		return
	}
	content := a.content
	if sent, ok := content["metadata"].(map[string]any); ok {
		annotations, some := sent["annotations"].(map[string]any)
		sent = without(sent, "annotations") // null, too
		if some {
			sent["annotations"] = textsOf(without(annotations, lastApplied))
		}
		content = without(content, "metadata")
		content["metadata"] = sent
	}
	meta.Annotations[lastApplied] = string(jsontree.Append(nil, content)) + "\n"
	if validation.ValidateAnnotationsSize(meta.Annotations) != nil {
		delete(meta.Annotations, lastApplied)
	}
}

// textsOf returns annotations with an empty text for each that is null, as which they are stored.
// It modifies them.
func textsOf(annotations map[string]any) map[string]any {
	for name, value := range annotations {
		if value == nil {
			annotations[name] = ""
		}
	}
	return annotations
}
