package server_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

type patchFunc func(context.Context, *rest.Request, rest.Name, rest.Patch, metav1.PatchOptions) (rest.View, bool, error)

func (f patchFunc) Patch(ctx context.Context, req *rest.Request, n rest.Name, p rest.Patch, o metav1.PatchOptions) (rest.View, bool, error) {
	return f(ctx, req, n, p, o)
}

// patched is what came through to the resource.
type patched struct {
	name  rest.Name
	patch rest.Patch
	opts  metav1.PatchOptions
}

// patchable are books that take merge and apply patches. What is asked of them goes to got.
func patchable(got *patched) rest.Resource {
	r := books()
	r.PatchTypes = []types.PatchType{types.MergePatchType, types.ApplyYAMLPatchType}
	r.Patch = patchFunc(func(ctx context.Context, req *rest.Request, n rest.Name, p rest.Patch, o metav1.PatchOptions) (rest.View, bool, error) {
		*got = patched{n, p, o}
		req.Warn(`no field "x"`)
		req.Warn(`no field "x"`)
		return aBook(n.Name), n.Name == "new", nil
	})
	return r
}

func TestPatch(t *testing.T) {
	yes := true
	for name, tc := range map[string]struct {
		path, typ string
		code      int
		want      patched
	}{
		"merge": {bookPath + "?dryRun=All&fieldManager=me&fieldValidation=Strict", "application/merge-patch+json", 200,
			patched{rest.Name{Namespace: "ns", Name: "b"}, rest.Patch{Type: types.MergePatchType}, metav1.PatchOptions{DryRun: []string{"All"}, FieldManager: "me", FieldValidation: "Strict"}}},
		"with a charset": {bookPath + "?fieldManager=me", "application/merge-patch+json; charset=utf-8", 200,
			patched{rest.Name{Namespace: "ns", Name: "b"}, rest.Patch{Type: types.MergePatchType}, metav1.PatchOptions{FieldManager: "me"}}},
		"apply": {strings.TrimSuffix(bookPath, "b") + "new?fieldManager=me&force=true", "application/apply-patch+yaml", 201,
			patched{rest.Name{Namespace: "ns", Name: "new"}, rest.Patch{Type: types.ApplyYAMLPatchType}, metav1.PatchOptions{FieldManager: "me", Force: &yes}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got patched
			s := newServer(t, config(t, patchable(&got)))
			w := do(s, request{method: "PATCH", path: tc.path, header: map[string]string{"Content-Type": tc.typ}, body: `{"a":1}`})
			if w.Code != tc.code || !strings.Contains(w.Body.String(), `"kind":"Book"`) {
				t.Errorf("HTTP %d %s", w.Code, w.Body)
			}
			tc.want.patch.Bytes = []byte(`{"a":1}`)
			if a, b := mustJSON(t, got), mustJSON(t, tc.want); a != b {
				t.Errorf("got  %s\nwant %s", a, b)
			}
			if warnings := w.Header()["Warning"]; len(warnings) != 1 || warnings[0] != `299 - "no field \"x\""` {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
}

func mustJSON(t *testing.T, p patched) string {
	t.Helper()
	data, err := json.Marshal([]any{p.name, p.patch, p.opts})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestBadPatchRequests(t *testing.T) {
	var got patched
	c := config(t, patchable(&got), shelves())
	c.MaxBody = 100
	s := newServer(t, c)
	const accepted = "the body of the request was in an unknown format - accepted media types include: application/merge-patch+json, application/apply-patch+yaml"
	for name, tc := range map[string]struct {
		path, typ, body string
		code            int
		reason          metav1.StatusReason
		message         string
	}{
		"a patch they don't take": {bookPath, "application/strategic-merge-patch+json", "{}", 415, metav1.StatusReasonUnsupportedMediaType, accepted},
		"no patch":                {bookPath, "application/json", "{}", 415, metav1.StatusReasonUnsupportedMediaType, accepted},
		"no type":                 {bookPath, "", "{}", 415, metav1.StatusReasonUnsupportedMediaType, accepted},
		"too large":               {bookPath, "application/merge-patch+json", strings.Repeat(" ", 101), 413, metav1.StatusReasonRequestEntityTooLarge, "Request entity too large: limit is 100"},
		"force without apply":     {bookPath + "?force=false", "application/merge-patch+json", "{}", 422, metav1.StatusReasonInvalid, `PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch`},
		"apply by nobody":         {bookPath, "application/apply-patch+yaml", "{}", 422, metav1.StatusReasonInvalid, `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		"dry run":                 {bookPath + "?dryRun=Some", "application/merge-patch+json", "{}", 422, metav1.StatusReasonInvalid, `PatchOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"`},
		"a collection":            {booksPath, "application/merge-patch+json", "{}", 405, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource"},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(s, request{method: "PATCH", path: tc.path, header: map[string]string{"Content-Type": tc.typ}, body: tc.body})
			wantStatus(t, w, tc.code, tc.reason, tc.message)
			if got.name.Name != "" {
				t.Error("it came through")
			}
		})
	}
}

// What kubectl reads: which patches there are, and that unknown fields can be refused by the
// server.
func TestPatchIsAdvertised(t *testing.T) {
	s := withOpenAPI(t, patchable(new(patched)))
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(do(s, request{path: documentURL(t, s)}).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var patch struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct{ Content map[string]any }
		Action      string            `json:"x-kubernetes-action"`
		Kind        map[string]string `json:"x-kubernetes-group-version-kind"`
	}
	if err := json.Unmarshal(doc.Paths["/apis/library.example.com/v1/namespaces/{namespace}/books/{name}"]["patch"], &patch); err != nil {
		t.Fatal(err)
	}
	if types := slices.Sorted(maps.Keys(patch.RequestBody.Content)); !slices.Equal(types, []string{"application/apply-patch+yaml", "application/merge-patch+json"}) {
		t.Errorf("bodies %q", types)
	}
	names := map[string]string{}
	for _, p := range patch.Parameters {
		names[p.Name] = p.In
	}
	if names["fieldValidation"] != "query" || names["force"] != "query" || patch.Action != "patch" || patch.Kind["kind"] != "Book" {
		t.Errorf("%+v", patch)
	}
	if list := do(s, request{path: "/apis/library.example.com/v1"}).Body.String(); !strings.Contains(list, `"list","patch","update"`) {
		t.Errorf("discovery: %s", list)
	}
}

// Who changes something is in the request, or it is the program that sent it.
func TestFieldManager(t *testing.T) {
	for agent, want := range map[string]string{
		"kubectl/v1.37.2 (linux/amd64)": "kubectl",
		"my\tpro\x01gram":               "myprogram",
		strings.Repeat("ä", 100):        strings.Repeat("ä", 64),
		"/":                             "",
	} {
		var got patched
		var created, updated string
		r := patchable(&got)
		r.Create = createFunc(func(_ context.Context, _ *rest.Request, n rest.Name, obj rest.Body, o metav1.CreateOptions) (rest.View, error) {
			created = o.FieldManager
			return objectView{obj}, nil
		})
		r.Update = updateFunc(func(_ context.Context, _ *rest.Request, n rest.Name, obj rest.Body, o metav1.UpdateOptions) (rest.View, bool, error) {
			updated = o.FieldManager
			return objectView{obj}, false, nil
		})
		s := newServer(t, config(t, r))
		header := map[string]string{"User-Agent": agent}
		do(s, request{method: "POST", path: booksPath, header: header, body: goodBook})
		do(s, request{method: "PUT", path: bookPath, header: header, body: goodBook})
		header["Content-Type"] = "application/merge-patch+json"
		do(s, request{method: "PATCH", path: bookPath, header: header, body: `{}`})
		if created != want || updated != want || got.opts.FieldManager != want {
			t.Errorf("%q: created by %q, updated by %q, patched by %q", agent, created, updated, got.opts.FieldManager)
		}
	}
}

// noCreate allows everything but create.
type noCreate struct{}

func (noCreate) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.Verb == "create" {
		return auth.NoOpinion, "", nil
	}
	return auth.Allow, "", nil
}

// A write that may have to make the object carries the refusal along; one that never does is not
// asked about.
func TestWritesWithoutTheRightToCreate(t *testing.T) {
	var denied []bool
	note := func(req *rest.Request) { denied = append(denied, req.CreateDenied != nil) }
	r := patchable(new(patched))
	r.Patch = patchFunc(func(ctx context.Context, req *rest.Request, n rest.Name, _ rest.Patch, _ metav1.PatchOptions) (rest.View, bool, error) {
		note(req)
		if req.CreateDenied != nil {
			return nil, false, req.CreateDenied
		}
		return aBook(n.Name), false, nil
	})
	r.Update = updateFunc(func(ctx context.Context, req *rest.Request, n rest.Name, obj rest.Body, _ metav1.UpdateOptions) (rest.View, bool, error) {
		note(req)
		return objectView{obj}, false, nil
	})
	c := config(t, r)
	c.Authorizer = noCreate{}
	s := newServer(t, c)
	w := do(s, request{method: "PATCH", path: bookPath + "?fieldManager=me", header: map[string]string{"Content-Type": "application/apply-patch+yaml"}, body: "{}"})
	wantStatus(t, w, 403, metav1.StatusReasonForbidden, `books.library.example.com "b" is forbidden: User "admin" cannot create resource "books" in API group "library.example.com" in the namespace "ns"`)
	do(s, request{method: "PATCH", path: bookPath, header: map[string]string{"Content-Type": "application/merge-patch+json"}, body: "{}"})
	do(s, request{method: "PUT", path: bookPath, body: goodBook})
	if want := []bool{true, false, true}; !slices.Equal(denied, want) {
		t.Errorf("denied %v, want %v", denied, want)
	}
}
