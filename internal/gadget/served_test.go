package gadget

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
)

// client talks to a server of gadgets.
type client struct {
	*testing.T
	*apitest.Server
}

func serve(t *testing.T, options ...apitest.Option) client {
	t.Helper()
	return client{t, apitest.Start(t, typeplane.Server{
		Name: "gadgets", APIs: []typeplane.API{API()}, Admission: []typeplane.AdmissionPlugin{{Name: "Meddler", New: meddler}},
	}, options...)}
}

const gadgets = "/apis/gadgets.example.com/v1/namespaces/default/gadgets"

// do sends a request. headers are pairs of names and values; the body is JSON unless they say
// otherwise.
func (c client) do(method, path, body string, headers ...string) (code int, answer string, header http.Header) {
	c.Helper()
	if strings.HasPrefix(path, "gadgets") {
		path = strings.TrimSuffix(gadgets, "gadgets") + path
	}
	req, err := http.NewRequest(method, c.URL+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "me/1")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	return resp.StatusCode, string(data), resp.Header
}

// must is do for what has to be answered with success. It returns the object without what differs
// between runs.
func (c client) must(method, path, body string, headers ...string) map[string]any {
	c.Helper()
	code, answer, _ := c.do(method, path, body, headers...)
	if code/100 != 2 {
		c.Fatalf("%s %s: %d %s", method, path, code, answer)
	}
	return c.read(answer)
}

func (c client) read(text string) (object map[string]any) {
	c.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		c.Fatalf("%v: %s", err, text)
	}
	return object
}

// member is the JSON of a member.
func member(object map[string]any, path ...string) string {
	for _, name := range path[:len(path)-1] {
		object, _ = object[name].(map[string]any)
	}
	value, ok := object[path[len(path)-1]]
	if !ok {
		return "none"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(value)
	return strings.TrimSpace(b.String())
}

func gadget(name, spec string) string {
	return `{"apiVersion":"gadgets.example.com/v1","kind":"Gadget","metadata":{"name":"` + name + `"},"spec":` + spec + `}`
}

// What is stored is the document that was sent.
func TestDocumentIsKept(t *testing.T) {
	c := serve(t)
	for name, tc := range map[string]struct{ sent, want string }{
		"durations":          {`{"color":"x","period":"300s","delay":"90m"}`, ""},
		"quantities":         {`{"color":"x","memory":"1024Mi","limits":{"cpu":1000,"memory":"0.5Gi"}}`, ""},
		"zero values":        {`{"color":"","loud":false,"size":0,"headers":{},"names":[],"grid":[[],[]],"steps":[],"template":{}}`, `{"color":"","grid":[[],[]],"headers":{},"loud":false,"names":[],"size":0,"steps":[],"template":{"style":"plain"}}`},
		"nothing":            {`{}`, `{"color":"red"}`},
		"numbers":            {`{"color":"x","numbers":{"u8":255,"u16":65535,"u64":18446744073709551615,"i8":-128,"f32":0.1,"f64":1e300}}`, `{"color":"x","numbers":{"f32":0.1,"f64":1e+300,"i8":-128,"u16":65535,"u64":18446744073709551615,"u8":255}}`},
		"lists in maps":      {`{"color":"x","headers":{"a":["b","c"],"d":[]}}`, ""},
		"a list of lists":    {`{"color":"x","grid":[[{"x":1,"y":2}],[]]}`, ""},
		"a map of structs":   {`{"color":"x","parts":{"a":{},"b":{"count":0,"weight":"1000m"},"c":{"count":7}}}`, `{"color":"x","parts":{"a":{"count":1},"b":{"count":0,"weight":"1000m"},"c":{"count":7}}}`},
		"items get defaults": {`{"color":"x","steps":[{"name":"a"},{"name":"b","timeout":"60s","optional":false}]}`, `{"color":"x","steps":[{"name":"a","timeout":"1m"},{"name":"b","optional":false,"timeout":"60s"}]}`},
		"any":                {`{"any":{"a":[null,1.5,{"b":null}],"kind":"Other"},"color":"x"}`, ""},
		"own JSON":           {`{"color":"x","tone":"0.44kHz"}`, ""},
		"null":               {`{"color":null,"period":null,"headers":{"a":null,"b":["x"]}}`, `{"color":"red","headers":{"b":["x"]}}`},
		"a port":             {`{"color":"x","port":"http"}`, ""},
		"HTML":               {`{"color":"<&>\u2028"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := client{t, c.Server}
			if tc.want == "" {
				tc.want = tc.sent
			}
			object := "o" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
			created := c.must("POST", "gadgets", gadget(object, tc.sent))
			want := c.read(tc.want)
			for what, got := range map[string]map[string]any{
				"created": created,
				"read":    c.must("GET", "gadgets/"+object, ""),
			} {
				if diff := cmp.Diff(want, got["spec"]); diff != "" {
					t.Errorf("%s (-want +got)\n%s", what, diff)
				}
				if got["status"] != nil {
					t.Errorf("%s: it has a status: %v", what, got["status"])
				}
			}
			again := c.must("PUT", "gadgets/"+object, gadget(object, tc.sent))
			if member(again, "metadata", "resourceVersion") != member(created, "metadata", "resourceVersion") {
				t.Errorf("the same object again is a change: %v", again)
			}
		})
	}
}

// What is required has to be sent, in every kind of write; what is zero is none the less there.
func TestRequired(t *testing.T) {
	c := serve(t)
	c.must("POST", "gadgets", gadget("empty", `{"color":"x","steps":[{"name":""}]}`))
	c.must("POST", "gadgets", gadget("there", `{"color":"x","steps":[{"name":"a"}]}`))
	missing := `{"color":"x","steps":[{"timeout":"1s"}]}`
	for name, send := range map[string]func() (int, string, http.Header){
		"create": func() (int, string, http.Header) { return c.do("POST", "gadgets", gadget("missing", missing)) },
		"update": func() (int, string, http.Header) { return c.do("PUT", "gadgets/there", gadget("there", missing)) },
		"YAML": func() (int, string, http.Header) {
			return c.do("POST", "gadgets", "apiVersion: gadgets.example.com/v1\nkind: Gadget\nmetadata: {name: missing}\nspec: {steps: [{timeout: 1s}]}", "Content-Type", "application/yaml")
		},
		"merge patch": func() (int, string, http.Header) {
			return c.do("PATCH", "gadgets/there", `{"spec":{"steps":[{"timeout":"1s"}]}}`, "Content-Type", "application/merge-patch+json")
		},
		"JSON patch": func() (int, string, http.Header) {
			return c.do("PATCH", "gadgets/there", `[{"op":"remove","path":"/spec/steps/0/name"}]`, "Content-Type", "application/json-patch+json")
		},
		"null": func() (int, string, http.Header) {
			return c.do("POST", "gadgets", gadget("missing", `{"steps":[{"name":null}]}`))
		},
	} {
		code, answer, _ := send()
		if code != 422 || !strings.Contains(answer, "spec.steps[0].name: Required value") {
			t.Errorf("%s: %d %s", name, code, answer)
		}
	}
	// In an apply the keys of items are missed before the rules are asked, so it is about another
	// list.
	for _, name := range []string{"new", "there"} {
		code, answer, _ := c.do("PATCH", "gadgets/"+name+"?fieldManager=m", gadget(name, `{"grid":[[{"x":1}]]}`), "Content-Type", "application/apply-patch+yaml")
		if code != 422 || !strings.Contains(answer, "spec.grid[0][0].y: Required value") {
			t.Errorf("apply to %s: %d %s", name, code, answer)
		}
	}
}

// An item of a list that is null is refused, and not taken for one that is zero.
func TestNullItems(t *testing.T) {
	c := serve(t)
	c.must("POST", "gadgets", gadget("there", `{"names":["a"],"any":{"list":[null]}}`))
	for _, send := range []func() (int, string, http.Header){
		func() (int, string, http.Header) {
			return c.do("POST", "gadgets", gadget("missing", `{"names":["a",null],"steps":[null],"grid":[[null],null],"any":{"list":[null]}}`))
		},
		func() (int, string, http.Header) {
			return c.do("PATCH", "gadgets/there", `[{"op":"add","path":"/spec/names/1","value":null},{"op":"add","path":"/spec/steps","value":[null]},{"op":"add","path":"/spec/grid","value":[[null],null]}]`, "Content-Type", "application/json-patch+json")
		},
	} {
		code, answer, _ := send()
		for _, path := range []string{"spec.grid[0][0]", "spec.grid[1]", "spec.names[1]", "spec.steps[0]"} {
			if code != 422 || !strings.Contains(answer, `"field":"`+path+`"`) {
				t.Errorf("%s: %d %s", path, code, answer)
			}
		}
		if strings.Contains(answer, "any") {
			t.Error(answer)
		}
	}
}
