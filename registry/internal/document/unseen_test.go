package document

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"time"
)

func TestUnseen(t *testing.T) {
	shape := ShapeOf(reflect.TypeFor[*thing](), Said{})
	for name, tc := range map[string]struct{ was, is, want string }{
		"the same":             {`{"spec":{"a":""}}`, `{"spec":{"a":""}}`, ``},
		"came":                 {`{"spec":{}}`, `{"spec":{"a":"","b":0,"c":"x"}}`, `spec.a spec.b`},
		"went":                 {`{"spec":{"a":"","c":"x"}}`, `{"spec":{}}`, `spec.a`},
		"an empty object":      {`{"spec":{}}`, `{"spec":{"named":{"a":"","b":0},"self":{"spec":{}}}}`, `spec.named spec.self`},
		"with something":       {`{"spec":{}}`, `{"spec":{"named":{"a":"","b":1}}}`, `spec.named`},
		"with something in it": {`{"spec":{"map":{}}}`, `{"spec":{"map":{"x":{"b":1}}}}`, ``},
		"keys of maps":         {`{"spec":{"map":{"x":{}}}}`, `{"spec":{"map":{"x":{"a":""},"y":{}}}}`, `spec.map[x].a spec.map[y]`},
		"items that moved":     {`{"spec":{"lists":[[{"a":"1"},{"a":"2","b":0}]]}}`, `{"spec":{"lists":[[{"a":"2","b":0},{"a":"1"}]]}}`, ``},
		"items that changed":   {`{"spec":{"lists":[[{"a":"1"},{"a":"2"}]]}}`, `{"spec":{"lists":[[{"a":"2"},{"a":"1","b":0}]]}}`, `spec.lists[0][1].b`},
		"a list beside none":   {`{}`, `{"spec":{"lists":[]}}`, `spec`},
		"another value":        {`{"spec":{"a":"x"}}`, `{"spec":{"a":""}}`, ``},
		"null that came":       {`{"spec":{"a":"x","b":0}}`, `{"spec":{"a":null,"b":null,"c":null}}`, `spec.b spec.c`},
		"null that went":       {`{"spec":{"a":null,"b":null,"c":null,"d":null}}`, `{"spec":{"a":"x","b":0,"d":null}}`, `spec.b spec.c`},
		"what nobody knows":    {`{"spec":{"any":{}}}`, `{"spec":{"any":{"x":{"y":false}}}}`, ``},
		"more than are wanted": {`{"spec":{}}`, `{"spec":{"a":"","b":0,"bytes":"","c":"","delay":"","lists":[]}}`, `spec.a spec.b spec.bytes spec.c`},
	} {
		was, err := readTree([]byte(tc.was))
		if err != nil {
			t.Fatal(err)
		}
		is, err := readTree([]byte(tc.is))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(Unseen(was, is, shape, 4), " "); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestTouch(t *testing.T) {
	places := Places{"spec.items[1].kind"}
	for path, want := range map[string]bool{
		"spec": true, "spec.items": true, "spec.items[1]": true, "spec.items[1].kind": true, "spec.items[1].kind.x": true, "<nil>": true,
		"spec.items[1].kin": false, "spec.items[1].kinds": false, "spec.items[10]": false, "spec.items[0]": false, "status": false,
	} {
		if got := places.Touch(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

func TestMistyped(t *testing.T) {
	of := reflect.TypeFor[*thing]()
	for text, want := range map[string]string{
		`{"spec":{"a":"x","b":1,"any":{"x":[1,"y"]},"delay":"5m","bytes":"AQI=","map":{"x":null},"lists":null}}`: ``,
		`{"spec":{"a":1,"b":"x","map":[]}}`:                     `spec.a: Invalid value: "integer": must be of type string, spec.b: Invalid value: "string": must be of type integer, spec.map: Invalid value: "array": must be of type object`,
		`{"spec":{"lists":[[{"a":true}],{}]}}`:                  `spec.lists[0][0].a: Invalid value: "boolean": must be of type string, spec.lists[1]: Invalid value: "object": must be of type array`,
		`{"spec":{"map":{"k":"v"},"d":{"e":{}},"more":1}}`:      `spec.d.e: Invalid value: "object": must be of type string, spec.map[k]: Invalid value: "string": must be of type object`,
		`{"spec":{"b":1.5,"named":{"b":99999999999999999999}}}`: `spec.b: Invalid value: "number": must be of type integer, spec.named.b: Invalid value: "number": must be of type integer`,
		`{"spec":{"delay":"soon","bytes":[1]}}`:                 `spec.bytes: Invalid value: "array": must be of type string, spec.delay: Invalid value: "soon": time: invalid duration "soon"`,
		`{"spec":`:                                              ``,
	} {
		var got []string
		errs, _ := Mistyped([]byte(text), of, 10)
		for _, err := range errs {
			got = append(got, err.Error())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s:\n%s, want\n%s", text, strings.Join(got, ", "), want)
		}
	}
	errs, unknown := Mistyped([]byte(`{"spec":{"a":1,"b":"x","map":[],"more":{},"map":{"k":{"z":1}},"last":null}}`), of, 2)
	if len(errs) != 2 || strings.Join(unknown, " ") != `"spec.last" "spec.map[k].z"` {
		t.Errorf("%d errors and unknown %v, want no more than 2 of each", len(errs), unknown)
	}
	amounts := reflect.TypeFor[map[string]resource.Quantity]()
	if errs, _ := Mistyped([]byte(`{"a":"1e3","b":"1e-99999","c":"x"}`), amounts, 10); len(errs) != 2 {
		t.Errorf("quantities: %v", errs)
	}
}

// What is nested deep, or has many items that are nearly the same, takes no longer than it is
// large.
func TestUnseenIsBounded(t *testing.T) {
	type nested struct {
		Name  string   `json:"name"`
		Inner []nested `json:"inner"`
	}
	shape := ShapeOf(reflect.TypeFor[nested](), Said{})
	deep := func(name string) (tree map[string]any) {
		tree = map[string]any{"name": name}
		for range 4000 {
			tree = map[string]any{"inner": []any{tree}}
		}
		return tree
	}
	wide := func(name string) map[string]any {
		var list []any
		for i := range 20_000 {
			list = append(list, map[string]any{"name": strings.Repeat("x", 100) + strconv.Itoa(i) + name})
		}
		return map[string]any{"inner": list}
	}
	begun := time.Now()
	for _, of := range []func(string) map[string]any{deep, wide} {
		if places := Unseen(of("a"), of("b"), shape, 10); len(places) != 0 {
			t.Errorf("there are %v", places)
		}
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
