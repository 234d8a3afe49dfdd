package transcode

// AppendObjectMeta appends the JSON of an ObjectMeta. fields are the content of its message, which
// generated code has written. revision becomes the resourceVersion, whatever that was; with 0 there
// is none. After an error what was appended is worth nothing; there is none for canonical values.
func AppendObjectMeta(dst, fields []byte, revision int64) ([]byte, error) {
	return objectMeta.append(dst, fields, revision)
}

var objectMeta = &message{members: []member{
	1:  {name: `,"name":`, form: optionalText},
	2:  {name: `,"generateName":`, form: optionalText},
	3:  {name: `,"namespace":`, form: optionalText},
	4:  {name: `,"selfLink":`, form: optionalText},
	5:  {name: `,"uid":`, form: optionalText},
	6:  {name: `,"resourceVersion":`, form: revision},
	7:  {name: `,"generation":`, form: optionalNumber},
	8:  {name: `,"creationTimestamp":`, form: optionalTime},
	9:  {name: `,"deletionTimestamp":`, form: timestamp},
	10: {name: `,"deletionGracePeriodSeconds":`, form: number},
	11: {name: `,"labels":`, form: textMap},
	12: {name: `,"annotations":`, form: textMap},
	13: {name: `,"ownerReferences":`, form: items, of: ownerReference},
	14: {name: `,"finalizers":`, form: texts},
	17: {name: `,"managedFields":`, form: items, of: managedFieldsEntry},
}}

var ownerReference = &message{first: 5, members: []member{
	1: {name: `,"kind":`, form: text},
	3: {name: `,"name":`, form: text},
	4: {name: `,"uid":`, form: text},
	5: {name: `,"apiVersion":`, form: text},
	6: {name: `,"controller":`, form: boolean},
	7: {name: `,"blockOwnerDeletion":`, form: boolean},
}}

var managedFieldsEntry = &message{members: []member{
	1: {name: `,"manager":`, form: optionalText},
	2: {name: `,"operation":`, form: optionalText},
	3: {name: `,"apiVersion":`, form: optionalText},
	4: {name: `,"time":`, form: timestamp},
	6: {name: `,"fieldsType":`, form: optionalText},
	7: {name: `,"fieldsV1":`, form: fieldsV1},
	8: {name: `,"subresource":`, form: optionalText},
}}
