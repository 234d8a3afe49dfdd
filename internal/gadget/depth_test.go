package gadget

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What a client nests as deep as it may can be read by all others, whatever is around it. They
// could not list the gadgets of any namespace otherwise.
func TestDepth(t *testing.T) {
	c := serve(t)
	deep := func(n int) string {
		return gadget(fmt.Sprint("deep", n), `{"any":`+strings.Repeat(`{"a":`, n)+"1"+strings.Repeat("}", n)+"}")
	}
	const most = 9900 - 2 // the gadget and its spec
	for _, way := range [][3]string{{"POST", gadgets, "application/json"}, {"PATCH", gadgets + "/deep9899?fieldManager=m", "application/apply-patch+yaml"}} {
		code, answer, _ := c.do(way[0], way[1], deep(most+1), "Content-Type", way[2])
		if code != http.StatusBadRequest || !strings.Contains(answer, "more than 9900 objects and arrays are inside each other") {
			t.Errorf("%s: %d %s", way[0], code, answer)
		}
	}
	c.must("POST", gadgets, deep(most))
	name := fmt.Sprint("deep", most)
	c.must("PATCH", gadgets+"/"+name, `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", "application/merge-patch+json")
	for _, path := range []string{gadgets + "/" + name, gadgets, gadgets + "?watch=1&timeoutSeconds=1&resourceVersion=0"} {
		code, answer, _ := c.do("GET", path, "")
		if code != http.StatusOK || !json.Valid([]byte(strings.SplitN(answer, "\n", 2)[0])) {
			t.Errorf("%s: %d, which nobody can read", path, code)
		}
	}
}
