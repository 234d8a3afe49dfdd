package gadget

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/runtime"
)

// Whatever way a quantity takes that keeps a processor busy for seconds, it is refused before it is
// read.
func TestQuantitiesOfClients(t *testing.T) {
	const long = "1e-30000000"
	c := serve(t)
	c.must("POST", "gadgets", gadget("a", `{"memory":"1"}`))
	kept := `{"name":"b","fields":{"Spec.Parts":{"kept":{"x":{"count":7,"weight":"` + long + `"}}}}}`
	for _, tc := range []struct {
		method, path, contentType, body string
		code                            int
	}{
		{"POST", "gadgets", "application/json", gadget("b", `{"memory":"`+long+`"}`), 422},
		{"POST", "gadgets", "application/json", gadget("b", `{"memory":`+long+`}`), 400},
		{"POST", "gadgets", "application/json", gadget("b", `{"color":1,"parts":{"x":{"weight":"`+long+`"}}}`), 422},
		{"POST", "gadgets", "application/yaml", gadget("b", `{"limits":{"cpu":"`+long+`"}}`), 422},
		{"PUT", "gadgets/a", "application/json", gadget("a", `{"memory":"`+long+`"}`), 422},
		{"PATCH", "gadgets/a", "application/merge-patch+json", `{"spec":{"memory":"` + long + `"}}`, 422},
		{"PATCH", "gadgets/a", "application/json-patch+json", `[{"op":"add","path":"/spec/memory","value":"` + long + `"}]`, 422},
		{"PATCH", "gadgets/a?fieldManager=me", "application/apply-patch+yaml", gadget("a", `{"memory":"`+long+`"}`), 400},
		{"PATCH", "gadgets/a?fieldManager=me", "application/apply-patch+yaml", gadget("a", `{"color":1,"period":"soon","memory":"`+long+`"}`), 400},
		{"POST", "/apis/gadgets.example.com/v1beta1/namespaces/default/gadgets", "application/json",
			fmt.Sprintf(`{"apiVersion":"gadgets.example.com/v1beta1","kind":"Gadget","metadata":{"name":"b","annotations":{%q:%q}}}`, runtime.LosslessAnnotation, kept), 201},
	} {
		begun := time.Now()
		code, answer, _ := c.do(tc.method, tc.path, tc.body, "Content-Type", tc.contentType)
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s %s %.80s took %v", tc.method, tc.contentType, tc.body, took)
		}
		if code != tc.code || code == 422 && !strings.Contains(answer, "exponent") {
			t.Errorf("%s %s %.80s: %d %s", tc.method, tc.contentType, tc.body, code, answer)
		}
	}
	if _, answer, _ := c.do("GET", "gadgets/b", ""); strings.Contains(answer, `"weight"`) {
		t.Errorf("restored: %s", answer)
	}
}
