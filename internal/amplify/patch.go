package amplify

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/apitest"
)

// patchedFields is how many things of an object are sent in patches.
const patchedFields = 10

// patches creates the object and makes bombs of things of its kind: as each type of patch of it.
func patches(t *testing.T, server *apitest.Server, things []thing, object Object) (bombs []bomb) {
	resp, err := server.Client.Post(server.URL+object.Collection, "application/yaml", strings.NewReader(object.YAML))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("create %s: %s", object.YAML, resp.Status)
	}
	path := object.Collection + "/" + object.Name
	patch := func(name string, kind types.PatchType, body func(size int) []byte) bomb {
		b := bomb{name: "patch " + name + " " + string(kind), method: http.MethodPatch, path: path + dryRun(), contentType: string(kind), body: body}
		if kind == types.ApplyYAMLPatchType {
			b.path = path + dryRun("fieldManager", "amplify", "force", "true")
		}
		return b
	}
	fields := 0
	for _, g := range things {
		pointer, ok := g.pointer()
		if !ok || g.path != object.Collection && !strings.HasPrefix(pointer, "/metadata/") || fields == patchedFields {
			continue
		}
		fields++
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
