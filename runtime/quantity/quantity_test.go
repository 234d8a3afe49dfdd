package quantity

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func TestCheck(t *testing.T) {
	for _, text := range []string{
		"1e1000", "1e-1000", "1E+1000", "1e0001", "0e2000000000", "1e-2000000000", "1.5e2000000000", "e1 1e1000", `"1e1000"`, ` " 1e1000 " `,
		strings.Repeat("1", maxCharacters+1),
	} {
		if Check(text) == nil || Check([]byte(text)) == nil {
			t.Errorf("%.20q is good", text)
		}
	}
	for _, text := range []string{"", "1", "-1.5", "100m", "1E", "1Ei", "10000E", "1e999", "1E+999", "1e-999", `"1e999"`, "e 1000", "1000e-", "memory1000"} {
		if err := Check(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// own reads itself, and nobody sees from outside how.
type own struct{ size *resource.Quantity }

func (o *own) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.size) }

type tree struct {
	Name     string
	Children []tree
	Sizes    map[string]own
}

func TestGuard(t *testing.T) {
	quantityOnly, name := reflect.TypeFor[resource.Quantity](), reflect.TypeFor[struct{ Name *string }]()
	for _, tc := range []struct {
		of   reflect.Type
		text string
		ok   bool
	}{
		{quantityOnly, `"1e3"`, true},
		{quantityOnly, `1e-30000000`, false},
		{reflect.TypeFor[own](), `"1e3"`, true},
		{reflect.TypeFor[own](), `1e-30000000`, false},
		{reflect.TypeFor[*tree](), `{"a":["x","1e-30000000"]}`, false},
		{reflect.TypeFor[tree](), `{"a":{"b":"1e-3\u0030000000 "}}`, false},
		{reflect.TypeFor[tree](), `{"a":"` + strings.Repeat("1", maxCharacters) + `0"}`, false},
		{reflect.TypeFor[tree](), `{"node1000":"node1000","b":"e1000","c":"7e12345-arm64","d":"` + strings.Repeat("a1", maxCharacters) + `"}`, true},
		{reflect.TypeFor[tree](), `{"a":tru`, true},
		{name, `{"Name":"1e-30000000"}`, true},
	} {
		if err := Guard(tc.of, []byte(tc.text)); (err == nil) != tc.ok {
			t.Errorf("%v of %.40s: %v", tc.of, tc.text, err)
		}
	}
}
