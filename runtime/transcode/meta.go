package transcode

// AppendObjectMeta appends the JSON of an ObjectMeta. fields are the content of its message, which
// generated code has written. revision becomes the resourceVersion, whatever that was; with 0 there
// is none. The FieldsV1 in managedFields are copied, as Append does. After an error what was
// appended is worth nothing; there is none for canonical values.
func AppendObjectMeta(dst, fields []byte, revision int64) ([]byte, error) {
	w := writer{dst: dst, data: fields, settled: true}
	w.message(&ObjectMeta, 0, len(fields), revision)
	return w.dst, w.err
}

// Types of apimachinery that are written by their fields.
var (
	ObjectMeta = Message{Members: []Member{
		{Name: `,"name":`, Tag: 1<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"generateName":`, Tag: 2<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"namespace":`, Tag: 3<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"selfLink":`, Tag: 4<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"uid":`, Tag: 5<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"resourceVersion":`, Tag: 6<<3 | wireBytes, Form: version},
		{Name: `,"generation":`, Tag: 7 << 3, Form: Int64, Rule: Optional},
		{Name: `,"creationTimestamp":`, Tag: 8<<3 | wireBytes, Form: Time, Rule: Optional},
		{Name: `,"deletionTimestamp":`, Tag: 9<<3 | wireBytes, Form: Time, Rule: Optional | Pointer},
		{Name: `,"deletionGracePeriodSeconds":`, Tag: 10 << 3, Form: Int64, Rule: Optional | Pointer},
		{Name: `,"labels":`, Tag: 11<<3 | wireBytes, Form: Text, Rule: Optional | Map},
		{Name: `,"annotations":`, Tag: 12<<3 | wireBytes, Form: Text, Rule: Optional | Map},
		{Name: `,"ownerReferences":`, Tag: 13<<3 | wireBytes, Form: Struct, Rule: Optional | List, Of: &OwnerReference},
		{Name: `,"finalizers":`, Tag: 14<<3 | wireBytes, Form: Text, Rule: Optional | List},
		{Name: `,"managedFields":`, Tag: 17<<3 | wireBytes, Form: Struct, Rule: Optional | List, Of: &ManagedFieldsEntry},
	}}
	OwnerReference = Message{Places: []uint8{1: 2, 3: 3, 4: 4, 5: 1, 6: 5, 7: 6}, Members: []Member{
		{Name: `,"apiVersion":`, Tag: 5<<3 | wireBytes, Form: Text},
		{Name: `,"kind":`, Tag: 1<<3 | wireBytes, Form: Text},
		{Name: `,"name":`, Tag: 3<<3 | wireBytes, Form: Text},
		{Name: `,"uid":`, Tag: 4<<3 | wireBytes, Form: Text},
		{Name: `,"controller":`, Tag: 6 << 3, Form: Bool, Rule: Optional | Pointer},
		{Name: `,"blockOwnerDeletion":`, Tag: 7 << 3, Form: Bool, Rule: Optional | Pointer},
	}}
	ManagedFieldsEntry = Message{Members: []Member{
		{Name: `,"manager":`, Tag: 1<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"operation":`, Tag: 2<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"apiVersion":`, Tag: 3<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"time":`, Tag: 4<<3 | wireBytes, Form: Time, Rule: Optional | Pointer},
		{Name: `,"fieldsType":`, Tag: 6<<3 | wireBytes, Form: Text, Rule: Optional},
		{Name: `,"fieldsV1":`, Tag: 7<<3 | wireBytes, Form: fieldSet, Rule: Optional | Pointer},
		{Name: `,"subresource":`, Tag: 8<<3 | wireBytes, Form: Text, Rule: Optional},
	}}
	LabelSelector = Message{Members: []Member{
		{Name: `,"matchLabels":`, Tag: 1<<3 | wireBytes, Form: Text, Rule: Optional | Map},
		{Name: `,"matchExpressions":`, Tag: 2<<3 | wireBytes, Form: Struct, Rule: Optional | List, Of: &LabelSelectorRequirement},
	}}
	LabelSelectorRequirement = Message{Members: []Member{
		{Name: `,"key":`, Tag: 1<<3 | wireBytes, Form: Text},
		{Name: `,"operator":`, Tag: 2<<3 | wireBytes, Form: Text},
		{Name: `,"values":`, Tag: 3<<3 | wireBytes, Form: Text, Rule: Optional | List},
	}}
	Condition = Message{Members: []Member{
		{Name: `,"type":`, Tag: 1<<3 | wireBytes, Form: Text},
		{Name: `,"status":`, Tag: 2<<3 | wireBytes, Form: Text},
		{Name: `,"observedGeneration":`, Tag: 3 << 3, Form: Int64, Rule: Optional},
		{Name: `,"lastTransitionTime":`, Tag: 4<<3 | wireBytes, Form: Time},
		{Name: `,"reason":`, Tag: 5<<3 | wireBytes, Form: Text},
		{Name: `,"message":`, Tag: 6<<3 | wireBytes, Form: Text},
	}}
)
