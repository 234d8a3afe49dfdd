package storageclass

import (
	"fmt"
	"strings"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	v1 "github.com/typeplane/typeplane/internal/features/storageclass/v1"
)

// read makes a class of YAML, with its defaults.
func read(t *testing.T, text string) *storagev1.StorageClass {
	t.Helper()
	class := new(storagev1.StorageClass)
	if err := yaml.UnmarshalStrict([]byte(text), class); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	v1.SetObjectDefaults_StorageClass(class)
	return class
}

// wantErrors compares errors with parts of their texts, joined by |.
func wantErrors(t *testing.T, about string, errs field.ErrorList, want string) {
	t.Helper()
	wants := strings.FieldsFunc(want, func(r rune) bool { return r == '|' })
	if len(errs) != len(wants) {
		t.Errorf("%s: %v, want %q", about, errs, wants)
		return
	}
	for _, w := range wants {
		if all := errs.ToAggregate().Error(); !strings.Contains(all, w) {
			t.Errorf("%s: %s, want %s", about, all, w)
		}
	}
}

// judge asks the tags of the type and the strategy about a new class, or a changed one.
func judge(t *testing.T, class, old *storagev1.StorageClass) field.ErrorList {
	op := operation.Operation{Type: operation.Create}
	if old != nil {
		op.Type = operation.Update
	}
	return append(v1.Validate_StorageClass(t.Context(), op, nil, class, old), StorageClassStrategy{}.Validate(t.Context(), class)...)
}

func TestStorageClasses(t *testing.T) {
	for text, want := range map[string]string{
		"{provisioner: kubernetes.io/No-provisioner, parameters: {a: b}, allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}]}]}": "",
		"{}":                   "provisioner: Required value",
		"{provisioner: a/b/c}": "provisioner: Invalid value: \"a/b/c\"",
		"{provisioner: p, reclaimPolicy: Recycle}":                                                                                                        `reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"`,
		"{provisioner: p, volumeBindingMode: Later}":                                                                                                      "volumeBindingMode: Unsupported value",
		"{provisioner: p, parameters: {'': a}}":                                                                                                           "parameters: Invalid value: \"\": field can not be empty.",
		"{provisioner: p, parameters: {a: '" + strings.Repeat("x", maxParametersSize) + "'}}":                                                             "parameters: Too long",
		"{provisioner: p, allowedTopologies: [{matchLabelExpressions: [{key: 'a b', values: []}]}]}":                                                      "allowedTopologies[0].matchLabelExpressions[0].key: Invalid value|[0].values: Required value",
		"{provisioner: p, allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b, b]}, {key: a, values: [c]}]}]}":                               "matchLabelExpressions[0].values[1]: Duplicate value: \"b\"|matchLabelExpressions[1].key: Duplicate value: \"a\"",
		"{provisioner: p, allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b, c]}]}, {matchLabelExpressions: [{key: a, values: [c, b]}]}]}": "allowedTopologies[1].matchLabelExpressions: Duplicate value",
	} {
		wantErrors(t, text, judge(t, read(t, text), nil), want)
	}
	many := read(t, "{provisioner: p}")
	many.Parameters = map[string]string{}
	for i := range maxParameters + 1 {
		many.Parameters[fmt.Sprint(i)] = ""
	}
	wantErrors(t, "many parameters", judge(t, many, nil), "parameters: Too long")
}

func TestChangedStorageClasses(t *testing.T) {
	for change, want := range map[string]string{
		"{allowVolumeExpansion: true, mountOptions: [ro], metadata: {labels: {a: b}}}": "",
		"{parameters: {a: c}}":                      "parameters: Invalid value: null: field is immutable",
		"{provisioner: q}":                          "provisioner: Invalid value: null: field is immutable",
		"{reclaimPolicy: Retain}":                   "reclaimPolicy: Invalid value: null: field is immutable",
		"{volumeBindingMode: WaitForFirstConsumer}": "volumeBindingMode: Invalid value: null: field is immutable",
	} {
		old := read(t, "{provisioner: p, parameters: {a: b}}")
		class := old.DeepCopy()
		if err := yaml.Unmarshal([]byte(change), class); err != nil {
			t.Fatal(err)
		}
		wantErrors(t, change, judge(t, class, old), want)
	}
}

func TestStorageClassWarnings(t *testing.T) {
	class := read(t, "{provisioner: a, allowedTopologies: [{matchLabelExpressions: [{key: a}, {key: beta.kubernetes.io/os}]}]}")
	want := `allowedTopologies[0].matchLabelExpressions[1].key: deprecated since v1.14; use "kubernetes.io/os" instead`
	if got := (StorageClassStrategy{}).WarningsOnUpdate(t.Context(), class, class); strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestStorageClassColumns(t *testing.T) {
	for text, want := range map[string]string{
		"{metadata: {name: fast}, provisioner: p}": "[fast p Delete Immediate false]",
		"{metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: p, allowVolumeExpansion: true}": "[fast (default) p Delete Immediate true]",
		"{metadata: {name: fast, annotations: {storageclass.beta.kubernetes.io/is-default-class: 'true'}}, reclaimPolicy: Retain}":                 "[fast (default)  Retain Immediate false]",
	} {
		s := StorageClassStrategy{}
		got := s.Cells(read(t, text))
		if len(got) != len(s.Columns()) || fmt.Sprint(got[:5]) != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
