package amplify

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/apitest"
)

// create makes the object, with these items in its list.
func create(t *testing.T, server *apitest.Server, object Object, name, items string) {
	t.Helper()
	resp, err := server.Client.Post(server.URL+object.Collection, "application/json", strings.NewReader(object.with(name, items)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("create %s: %s: %.500s", name, resp.Status, text)
	}
}

// with is the object as JSON, with these items in its list.
func (o Object) with(name, items string) string {
	return `{` + o.Identity + `"metadata":{"name":"` + name + `"},` + fmt.Sprintf(o.Form, items) + `}`
}

// items are as many items of the list as fit, the first of which has a number.
func (o Object) items(first, size int) string {
	return string(repeat("", func(i int) string { return fmt.Sprintf(o.Item, first+i) }, "", size))
}

// patches creates the object and makes bombs of things of its kind: as each type of patch of it.
func patches(t *testing.T, server *apitest.Server, things []thing, object Object) (bombs []bomb) {
	create(t, server, object, object.Name, fmt.Sprintf(object.Item, 0))
	path := object.Collection + "/" + object.Name
	patch := func(name string, kind types.PatchType, body func(size int) []byte) bomb {
		b := bomb{name: "patch " + name + " " + string(kind), method: http.MethodPatch, path: path + dryRun(), contentType: string(kind), body: body}
		if kind == types.ApplyYAMLPatchType {
			b.path = path + dryRun("fieldManager", "amplify", "force", "true")
		}
		return b
	}
	for _, g := range things {
		pointer, ok := g.pointer()
		if !ok || g.path != object.Collection && !strings.HasPrefix(pointer, "/metadata/") {
			continue
		}
		plain := func(size int) []byte { return g.full("", "", size) }
		identity := object.Identity
		bombs = append(bombs,
			patch(g.called, types.MergePatchType, plain),
			patch(g.called, types.StrategicMergePatchType, plain),
			patch(g.called, types.ApplyYAMLPatchType, func(size int) []byte { return g.full(identity, `"name":"`+object.Name+`"`, size) }),
			patch(g.called, types.JSONPatchType, func(size int) []byte {
				return g.fill(`[{"op":"add","path":"`+pointer+`","value":`, g.end+`}]`, size)
			}),
		)
	}
	const operations = 10_000
	for _, op := range []string{
		`{"op":"add","path":"/metadata/labels","value":{"a":"b"}}`,
		`{"op":"add","path":"/metadata/finalizers","value":["a/b"]},{"op":"add","path":"/metadata/finalizers/0","value":"a/b"}`,
		`{"op":"add","path":"/metadata/annotations","value":{"a":"` + strings.Repeat("a", 1000) + `"}},{"op":"copy","from":"/metadata/annotations/a","path":"/metadata/annotations/b"}`,
		`{"op":"test","path":"/metadata/name","value":"` + object.Name + `"}`,
	} {
		bombs = append(bombs, patch(op[:50], types.JSONPatchType, func(size int) []byte {
			return repeat("[", same(op), "]", min(size, operations*(len(op)+1)/(strings.Count(op, `"op"`))))
		}))
	}
	for _, kind := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType, types.ApplyYAMLPatchType} {
		bombs = append(bombs, patch("unknown fields", kind, func(size int) []byte {
			return repeat("{"+object.Identity, keyed(`"unknown%d":0`), "}", size)
		}))
	}
	return bombs
}

// updates creates an object with a long list and makes bombs that change it: all items are others,
// or they stand in another order.
func updates(t *testing.T, server *apitest.Server, object Object) (bombs []bomb) {
	const name, others = "large", 1_000_000
	create(t, server, object, name, object.items(0, object.Stored))
	path := object.Collection + "/" + name
	for _, u := range []struct {
		name  string
		items func(size int) string
	}{
		{"other items", func(size int) string { return object.items(others, size) }},
		{"another order", func(size int) string { return object.items(1, size) + "," + fmt.Sprintf(object.Item, 0) }},
	} {
		send := func(how, method string, contentType types.PatchType, query string, body func(items string) string) {
			bombs = append(bombs, bomb{"update: " + u.name + how, method, path + query, string(contentType),
				func(size int) []byte { return []byte(body(u.items(size - headroom))) }})
		}
		object := func(items string) string { return object.with(name, items) }
		send("", http.MethodPut, "application/json", dryRun(), object)
		send(" by a merge patch", http.MethodPatch, types.MergePatchType, dryRun(), object)
		send(" by a strategic merge patch", http.MethodPatch, types.StrategicMergePatchType, dryRun(), object)
		send(" by an apply patch", http.MethodPatch, types.ApplyYAMLPatchType, dryRun("fieldManager", "amplify", "force", "true"), object)
	}
	bombs = append(bombs, applied(t, server, object)...)
	bombs = append(bombs, owned(object, path)...)
	for _, form := range []string{"application/json", "application/yaml"} {
		bombs = append(bombs, bomb{"delete with options in " + form, http.MethodDelete, path + dryRun(), form, func(size int) []byte {
			return repeat(`{"apiVersion":"v1","kind":"DeleteOptions","dryRun":["All",`, same(`""`), `]}`, size)
		}})
	}
	return bombs
}

// owned are bombs of managedFields that a client sends: of many managers, and of many fields in
// another order than they are written in.
func owned(object Object, path string) (bombs []bomb) {
	identity, _, _ := strings.Cut(strings.TrimPrefix(object.Identity, `"apiVersion":`), ",")
	manager := func(operation string) string {
		return `{"manager":"m%d","operation":"` + operation + `","apiVersion":` + identity + `,"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:k%[1]d":{}}}}}`
	}
	one := strings.Replace(fmt.Sprintf(manager("Update"), 0), `"f:k0":{}`, "%s", 1)
	backwards := func(format string) func(int) string {
		return func(i int) string { return fmt.Sprintf(format, 9_999_999-i) }
	}
	for _, o := range []struct {
		name, entries string
		piece         func(int) string
	}{
		{"managers that update", "%s", keyed(manager("Update"))},
		{"managers that apply", "%s", keyed(manager("Apply"))},
		{"owned keys backwards", one, backwards(`"f:k%d":{}`)},
		{"owned items backwards", one, backwards(`"k:{\"name\":\"n%d\"}":{".":{},"f:name":{}}`)},
		{"owned values backwards", one, backwards(`"v:%d":{}`)},
	} {
		full := func(size int) []byte {
			before, after, _ := strings.Cut(object.with("large", fmt.Sprintf(object.Item, 0)), `"metadata":{`)
			first, last, _ := strings.Cut(o.entries, "%s")
			return repeat(before+`"metadata":{"managedFields":[`+first, o.piece, last+`],`+after, size)
		}
		bombs = append(bombs,
			bomb{"update: " + o.name, http.MethodPut, path + dryRun(), "application/json", full},
			bomb{"update: " + o.name + " by a merge patch", http.MethodPatch, path + dryRun(), string(types.MergePatchType), full})
	}
	return bombs
}

// applied creates an object with as many items as one may have that is applied to, and makes bombs
// that apply others, or the same ones backwards.
func applied(t *testing.T, server *apitest.Server, object Object) (bombs []bomb) {
	const name, others = "applied", 1_000_000
	items := func(first int, backwards bool) string {
		var items []string
		for i := range object.Applied {
			items = append(items, fmt.Sprintf(object.Item, first+i))
		}
		if backwards {
			slices.Reverse(items)
		}
		return strings.Join(items, ",")
	}
	create(t, server, object, name, items(0, false))
	for _, patch := range []struct{ what, items string }{
		{"other items", items(others, false)}, {"the same items backwards", items(0, true)},
	} {
		bombs = append(bombs, bomb{"update: " + patch.what + " by an apply patch, of as many as there may be", http.MethodPatch,
			object.Collection + "/" + name + dryRun("fieldManager", "amplify", "force", "true"), string(types.ApplyYAMLPatchType),
			func(int) []byte { return []byte(object.with(name, patch.items)) }})
	}
	return bombs
}

// pointer is the JSON pointer of a thing; not ok for one that is inside of a list.
func (g thing) pointer() (pointer string, ok bool) {
	for _, l := range g.place {
		if l.before == "[" {
			return "", false
		}
		pointer += "/" + strings.Trim(l.before, `{":`)
	}
	return pointer, true
}
