package document_test

import (
	"testing"

	"github.com/typeplane/typeplane/registry/internal/document"
)

func TestHas(t *testing.T) {
	doc, _, err := document.Read([]byte(`{"spec":{"zero":0,"empty":{},"list":[{"a":false},null,[]],"labels":{"a.b/c]":"","x":""},"gone":null},"top":""}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := doc.Tree()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"spec": true, "spec.zero": true, "spec.empty": true, "spec.empty.x": false, "spec.list[0].a": true, "spec.list[0]": true, "spec.list[0].b": false,
		"spec.list[1]": false, "spec.list[2]": true, "spec.list[3]": false, "spec.list[x]": false, "spec.list[]": false, "spec.list[-1]": false,
		"spec.list[99999999999999999999]": false, "spec.labels[x]": true, "spec.labels[y]": false, "spec.labels[a.b/c]]": true, "spec.gone": false,
		"status": false, "status.x": false, "spec.zero.x": false, "top": true, "Embedded.top": true, "Embedded.spec.zero": true, "Embedded.none": false, "<nil>": false, "": true,
	} {
		if got := document.Has(tree, path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
