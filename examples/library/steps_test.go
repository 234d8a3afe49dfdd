package main

import (
	stdcmp "cmp"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/writesteps"
	"github.com/typeplane/typeplane/registry/rest"
)

const (
	oldBooks = "/apis/library.example.com/v1alpha1/namespaces/default/books"
	shelves  = "/apis/library.example.com/v1/shelves"
)

// aWrite is a write of one object, in the order in which TestWriteSteps makes them. Kept is where
// its object is, in the storage version.
type aWrite struct {
	name, method, path, contentType, body, kept string
	without                                     []rest.StepName // that it does not have
}

var writesToTry = []aWrite{
	{name: "create in another version", method: "POST", path: oldBooks, kept: books + "/c",
		body: `{"metadata":{"name":"c"},"spec":{"title":"The C Programming Language","author":"Brian W. Kernighan; Dennis M. Ritchie","isbn":"0-13-110362-8"}}`},
	{name: "create in the storage version", method: "POST", path: books, kept: books + "/go",
		body: `{"metadata":{"name":"go","labels":{"a":"b"}},"spec":{"title":"The Go Programming Language","copies":3}}`},
	{name: "create without a namespace", method: "POST", path: shelves, kept: shelves + "/programming",
		body: `{"metadata":{"name":"programming"},"spec":{"room":"Second floor","capacity":120}}`},
	{name: "update", method: "PUT", path: books + "/go", kept: books + "/go",
		body: `{"metadata":{"name":"go"},"spec":{"title":"The Go Programming Language","copies":4,"genre":"Science"}}`},
	{name: "update in another version", method: "PUT", path: oldBooks + "/c", kept: books + "/c",
		body: `{"metadata":{"name":"c"},"spec":{"title":"C","author":"Somebody","isbn":"0-13-110362-8"}}`},
	{name: "update of nothing", method: "PUT", path: oldBooks + "/c", kept: books + "/c",
		body: `{"metadata":{"name":"c"},"spec":{"title":"C","author":"Somebody","isbn":"0-13-110362-8"}}`},
	{name: "merge patch", method: "PATCH", path: books + "/go", contentType: "application/merge-patch+json", kept: books + "/go",
		body: `{"spec":{"copies":null,"title":"Go"}}`},
	{name: "JSON patch", method: "PATCH", path: oldBooks + "/c", contentType: "application/json-patch+json", kept: books + "/c",
		body: `[{"op":"add","path":"/spec/author","value":"One; Two"}]`},
	{name: "apply", method: "PATCH", path: books + "/go?fieldManager=a&force=true", contentType: "application/apply-patch+yaml", kept: books + "/go",
		body: "apiVersion: library.example.com/v1\nkind: Book\nspec: {copies: 9}\n", without: []rest.StepName{rest.StepOwned}},
	{name: "apply what is not there", method: "PATCH", path: books + "/applied?fieldManager=a", contentType: "application/apply-patch+yaml", kept: books + "/applied",
		body: "apiVersion: library.example.com/v1\nkind: Book\nspec: {title: Applied}\n", without: []rest.StepName{rest.StepOwned}},
}

var allSteps = []rest.StepName{
	rest.StepSent, rest.StepDefaulted, rest.StepHub, rest.StepOwned, rest.StepMutated, rest.StepPrepared, rest.StepCanonicalized, rest.StepStored,
}

// TestWriteSteps tries each write and has its steps shown, and then makes it: nothing is kept by
// the try, and what it shows is what becomes of the write.
func TestWriteSteps(t *testing.T) {
	server := apitest.Start(t, newServer())
	for _, w := range writesToTry {
		t.Run(w.name, func(t *testing.T) {
			before := send(t, server, aWrite{method: "GET", path: w.kept}, "application/json")
			var tried writesteps.WriteSteps
			if err := json.Unmarshal(send(t, server, w.tried(), asSteps), &tried); err != nil {
				t.Fatal(err)
			}
			after := send(t, server, aWrite{method: "GET", path: w.kept}, "application/json")
			if string(before) != string(after) {
				t.Errorf("the try has made\n%s\nof\n%s", after, before)
			}
			w.checkSteps(t, &tried)
			if diff := cmp.Diff(settled(t, tried.Object), settled(t, send(t, server, w, "application/json"))); diff != "" {
				t.Errorf("- the answer to the try, + to the write:\n%s", diff)
			}
			kept := send(t, server, aWrite{method: "GET", path: w.kept}, "application/json")
			if diff := cmp.Diff(settled(t, lastObject(tried.Steps)), settled(t, kept)); diff != "" {
				t.Errorf("- what would be stored, + what is:\n%s", diff)
			}
		})
	}
}

// TestNoSteps: who can't have them hears why, or gets what else they take.
func TestNoSteps(t *testing.T) {
	server := apitest.Start(t, newServer())
	for _, tc := range []struct {
		w            aWrite
		accept, want string
	}{
		{writesToTry[1], asSteps, "add dryRun=All"},
		{aWrite{method: "GET", path: books}, asSteps, "only the following media types are accepted"},
		{writesToTry[1].tried(), "application/yaml;as=WriteSteps;v=v1;g=typeplane.io", "only the following media types are accepted"},
		{writesToTry[1].tried(), "application/json;as=WriteSteps;v=v2;g=typeplane.io", "only the following media types are accepted"},
		{writesToTry[1].tried(), "application/json;as=WriteSteps;v=v2;g=typeplane.io, application/json", `"kind":"Book"`},
		{aWrite{method: "POST", path: books + "?dryRun=All", body: `{"metadata":{"name":"x"},"spec":{"copies":-1}}`}, asSteps, "spec.copies"},
	} {
		if answer := send(t, server, tc.w, tc.accept); !strings.Contains(string(answer), tc.want) {
			t.Errorf("%s %s as %s: %s, want %q", tc.w.method, tc.w.path, tc.accept, answer, tc.want)
		}
	}
}

const asSteps = "application/json;as=WriteSteps;v=v1;g=typeplane.io"

// tried is the write as a dry run.
func (w aWrite) tried() aWrite {
	separator := "?"
	if strings.Contains(w.path, "?") {
		separator = "&"
	}
	w.path += separator + "dryRun=All"
	return w
}

// checkSteps wants the steps of the write in their order, each with an object if that is another
// than before, and the names of fields for all bytes.
func (w aWrite) checkSteps(t *testing.T, tried *writesteps.WriteSteps) {
	t.Helper()
	var names, want []rest.StepName
	for _, name := range allSteps {
		if !slices.Contains(w.without, name) {
			want = append(want, name)
		}
	}
	var last rest.Step
	for _, step := range tried.Steps {
		names = append(names, step.Name)
		if step.Problem != "" || step.Object != nil && step.APIVersion == last.APIVersion && string(step.Object) == string(last.Object) {
			t.Errorf("%s: %s %s", step.Name, step.Object, step.Problem)
		}
		if step.Object != nil {
			last = step
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("- the steps that are wanted, + that there are:\n%s", diff)
	}
	if len(tried.Steps) == 0 {
		t.FailNow()
	}
	if first := tried.Steps[0]; w.method != "PATCH" && string(first.Object) != w.body {
		t.Errorf("%s was sent, and %s shown", w.body, first.Object)
	}
	end := 0
	for _, part := range tried.Stored.Parts {
		if part.Begin > end || part.Begin > part.Value || part.Value > part.End {
			t.Errorf("%+v, after what ends at %d", part, end)
		}
		end = max(end, part.End)
	}
	if end != len(tried.Stored.Bytes) || !strings.HasPrefix(string(tried.Stored.Bytes), "k8s\x00") {
		t.Errorf("%d bytes %q have names, of %d", end, tried.Stored.Bytes, len(tried.Stored.Bytes))
	}
}

// send makes a request, and returns the body of the answer.
func send(t *testing.T, server *apitest.Server, w aWrite, accept string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), w.method, server.URL+w.path, strings.NewReader(w.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("Content-Type", stdcmp.Or(w.contentType, "application/json"))
	resp, err := server.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// lastObject is what the last step that has changed something has made.
func lastObject(steps []rest.Step) (object []byte) {
	for _, step := range steps {
		if step.Object != nil {
			object = step.Object
		}
	}
	return object
}

// settled is an object without what is another one each time.
func settled(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	meta := object["metadata"].(map[string]any)
	for _, name := range []string{"uid", "creationTimestamp", "resourceVersion"} {
		delete(meta, name)
	}
	owners, _ := meta["managedFields"].([]any)
	for _, owner := range owners {
		delete(owner.(map[string]any), "time")
	}
	return object
}
