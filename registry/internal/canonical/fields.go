package canonical

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
)

// settle makes the sets of fields in managedFields what JSON has of them: compact, with HTML signs
// escaped. So answers copy them from canonical values without a look. What this server writes is so
// already, and so is nearly everything of others. A set that is no JSON is taken out: nobody could
// read it, and the object would have no JSON form either. The memory that meta had is not changed.
func settle(meta *metav1.ObjectMeta) {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	cloned := false
	for i, owner := range meta.ManagedFields {
		if owner.FieldsV1 == nil {
			continue
		}
		text, err := apimachineryjson.AppendJSON_FieldsV1((*scratch)[:0], owner.FieldsV1)
		if err == nil {
			*scratch = text
			if raw := owner.FieldsV1.GetRawBytes(); len(raw) == 0 || bytes.Equal(text, raw) {
				continue
			}
		}
		if !cloned {
			meta.ManagedFields, cloned = slices.Clone(meta.ManagedFields), true
		}
		var set *metav1.FieldsV1
		if err == nil {
			set = new(metav1.FieldsV1)
			set.SetRawBytes(bytes.Clone(text))
		}
		meta.ManagedFields[i].FieldsV1 = set
	}
}
