package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/runtime"
)

// TestRoundTrip sends an object of each kind, in which every field has a value, and wants it back: as JSON, as protobuf, after an
// update and a patch, in a list and as a table. What it should look like is what encoding/json makes of the Go value.
func TestRoundTrip(t *testing.T) {
	program, builder := newServer(), runtime.NewBuilder()
	program.AddToScheme(builder)
	scheme, err := builder.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := client{apitest.Start(t, program)}
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			var found metav1.APIResourceList
			if code, body := c.send(http.MethodGet, "/apis/"+gv.String(), "", "application/json", nil); code != 200 || json.Unmarshal(body, &found) != nil {
				t.Errorf("discovery of %s: %d %s", gv, code, body)
			}
			status := map[string]bool{}
			for _, r := range found.APIResources {
				if name, ok := strings.CutSuffix(r.Name, "/status"); ok {
					status[name] = true
				}
			}
			for _, r := range found.APIResources {
				if strings.Contains(r.Name, "/") {
					continue
				}
				t.Run(fmt.Sprintf("%s_%s_%s", gv.Group, gv.Version, r.Kind), func(t *testing.T) {
					path := "/apis/" + gv.String() + "/" + r.Name
					if r.Namespaced {
						path = "/apis/" + gv.String() + "/namespaces/default/" + r.Name
					}
					c.roundTrip(t, scheme, gv.WithKind(r.Kind), path, status[r.Name])
				})
			}
		}
	}
}

type client struct{ *apitest.Server }

func (c client) send(method, path, contentType, accept string, body []byte) (int, []byte) {
	req, err := http.NewRequest(method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, []byte(err.Error())
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", accept)
	resp, err := c.Client.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return resp.StatusCode, data
}

const jsonType = "application/json"

func (c client) roundTrip(t *testing.T, scheme *runtime.Scheme, gvk schema.GroupVersionKind, path string, hasStatus bool) {
	sent := document(t, scheme, gvk)
	answer := c.accepted(t, http.MethodPost, path, sent)
	if hasStatus && sent["status"] != nil {
		sent["metadata"] = answer["metadata"]
		answer = c.accepted(t, http.MethodPut, path+"/a/status", sent)
	}
	same(t, "created", sent, answer)

	answer["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	code, body := c.send(http.MethodPut, path+"/a", jsonType, jsonType, encode(t, answer))
	same(t, "updated", sent, decode(t, "update", code, body))
	code, body = c.send(http.MethodPatch, path+"/a", "application/merge-patch+json", jsonType, []byte(`{"metadata":{"annotations":{"patched":"yes"}}}`))
	same(t, "patched", sent, decode(t, "patch", code, body))
	code, body = c.send(http.MethodGet, path+"/a", "", jsonType, nil)
	got := decode(t, "get", code, body)
	same(t, "read", sent, got)

	c.asProtobuf(t, scheme, gvk, path, body)
	code, body = c.send(http.MethodGet, path, "", jsonType, nil)
	if items, _ := decode(t, "list", code, body)["items"].([]any); len(items) == 0 {
		t.Errorf("nothing in the list: %s", body)
	} else {
		item := items[0].(map[string]any)
		item["apiVersion"], item["kind"] = sent["apiVersion"], sent["kind"] // those of the list say it
		same(t, "listed", sent, item)
	}
	if code, body = c.send(http.MethodGet, path, "", "application/json;as=Table;g=meta.k8s.io;v=v1", nil); code != 200 {
		t.Errorf("table: %d %s", code, body)
	}
	minimal := encode(t, map[string]any{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": map[string]any{"name": "b"}})
	if code, body = c.send(http.MethodPost, path, jsonType, jsonType, minimal); code != 201 && code != 422 {
		t.Errorf("an empty one: %d %s", code, body)
	}
	if code, body = c.send(http.MethodDelete, path+"/a", "", jsonType, nil); code != 200 {
		t.Errorf("delete: %d %s", code, body)
	}
}

// accepted sends a document. What a rule has against a value is changed, or the value left out, as long as something is left.
func (c client) accepted(t *testing.T, method, path string, doc map[string]any) map[string]any {
	t.Helper()
	for range 20 {
		code, body := c.send(method, path, jsonType, jsonType, encode(t, doc))
		if code != http.StatusUnprocessableEntity {
			return decode(t, method, code, body)
		}
		var status metav1.Status
		if err := json.Unmarshal(body, &status); err != nil || status.Details == nil || len(status.Details.Causes) == 0 {
			t.Fatalf("%s: %s", method, body)
		}
		for _, cause := range status.Details.Causes {
			mend(doc, cause)
		}
	}
	_, body := c.send(method, path, jsonType, jsonType, encode(t, doc))
	t.Fatalf("is refused whatever is sent: %s: %s", body, encode(t, doc))
	return nil
}

var (
	part      = regexp.MustCompile(`[^.\[\]]+`)
	supported = regexp.MustCompile(`supported values: "([^"]*)"`)
)

// mend does what a cause asks for.
func mend(doc map[string]any, cause metav1.StatusCause) {
	parts := part.FindAllString(cause.Field, -1)
	var at any = doc
	for i, name := range parts {
		last := i == len(parts)-1
		switch value := at.(type) {
		case map[string]any:
			if m := supported.FindStringSubmatch(cause.Message); last && m != nil {
				value[name] = m[1]
			} else if last {
				delete(value, name)
			}
			at = value[name]
		case []any:
			n, _ := strconv.Atoi(name)
			if m := supported.FindStringSubmatch(cause.Message); last && m != nil && n < len(value) {
				value[n] = m[1]
			} else if last && n < len(value) {
				mend(doc, metav1.StatusCause{Field: strings.TrimSuffix(cause.Field, "["+name+"]")})
			}
			if n < len(value) {
				at = value[n]
			}
		}
	}
}

// asProtobuf wants the object as protobuf, where its kind has that, with what its JSON has.
func (c client) asProtobuf(t *testing.T, scheme *runtime.Scheme, gvk schema.GroupVersionKind, path string, asJSON []byte) {
	t.Helper()
	code, body := c.send(http.MethodGet, path+"/a", "", "application/vnd.kubernetes.protobuf", nil)
	if code == http.StatusNotAcceptable {
		return
	}
	want, _ := scheme.New(gvk)
	got, _ := scheme.New(gvk)
	var envelope apiruntime.Unknown
	if code != 200 || !bytes.HasPrefix(body, []byte("k8s\x00")) || envelope.Unmarshal(body[4:]) != nil {
		t.Errorf("as protobuf: %d %.200q", code, body)
		return
	}
	if err := got.(interface{ Unmarshal([]byte) error }).Unmarshal(envelope.Raw); err != nil {
		t.Errorf("as protobuf: %v", err)
	}
	got.GetObjectKind().SetGroupVersionKind(gvk)
	if err := json.Unmarshal(asJSON, want); err != nil {
		t.Fatal(err)
	}
	a, b := encode(t, want), encode(t, got)
	if !bytes.Equal(a, b) {
		t.Errorf("as protobuf:\n%s\nas JSON:\n%s", b, a)
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, what string, code int, body []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil || code/100 != 2 {
		t.Fatalf("%s: %d %s", what, code, body)
	}
	return out
}

// same compares all but the metadata, which the server adds to.
func same(t *testing.T, what string, want, got map[string]any) {
	t.Helper()
	for key := range want {
		emptied(got[key])
		if key != "metadata" && !reflect.DeepEqual(want[key], got[key]) {
			t.Errorf("%s: %s: sent %s, got %s", what, key, encode(t, want[key]), encode(t, got[key]))
		}
	}
	for key := range got {
		if want[key] == nil {
			t.Errorf("%s: %s was not sent, got %s", what, key, encode(t, got[key]))
		}
	}
}

// document is an object of a kind with all its fields, as encoding/json writes it.
func document(t *testing.T, scheme *runtime.Scheme, gvk schema.GroupVersionKind) map[string]any {
	t.Helper()
	obj, err := scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	fill(reflect.ValueOf(obj).Elem(), "", 0)
	var out map[string]any
	if err := json.Unmarshal(encode(t, obj), &out); err != nil {
		t.Fatal(err)
	}
	dropNulls(out)
	out["apiVersion"], out["kind"], out["metadata"] = gvk.GroupVersion().String(), gvk.Kind, map[string]any{"name": "a"}
	return out
}

// emptied makes an empty list of each null: protobuf has no other.
func emptied(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				v[key] = []any{}
			}
			emptied(value)
		}
	case []any:
		for _, item := range v {
			emptied(item)
		}
	}
}

func dropNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				delete(v, key)
			}
			dropNulls(value)
		}
	case []any:
		for _, item := range v {
			dropNulls(item)
		}
	}
}

// known are values of types that have a form of their own.
var known = map[reflect.Type]any{
	reflect.TypeFor[metav1.Time]():             metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	reflect.TypeFor[metav1.MicroTime]():        metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)),
	reflect.TypeFor[metav1.Duration]():         metav1.Duration{Duration: 5 * time.Second},
	reflect.TypeFor[resource.Quantity]():       resource.MustParse("1"),
	reflect.TypeFor[intstr.IntOrString]():      intstr.FromString("5%"),
	reflect.TypeFor[apiruntime.RawExtension](): apiruntime.RawExtension{Raw: []byte(`{"a":"b"}`)},
	reflect.TypeFor[metav1.FieldsV1]():         metav1.FieldsV1{Raw: []byte(`{"f:a":{}}`)},
	reflect.TypeFor[metav1.ObjectMeta]():       metav1.ObjectMeta{Name: "inner"},
	reflect.TypeFor[metav1.TypeMeta]():         metav1.TypeMeta{},
}

// texts are values of fields that not every text will do for, by their names in Go.
var texts = map[string]string{"ISBN": "978-0-13-419044-0", "Genre": "Fiction"}

// fill gives every field a value.
func fill(v reflect.Value, name string, depth int) {
	if value, ok := known[v.Type()]; ok {
		v.Set(reflect.ValueOf(value))
		return
	}
	if depth > 8 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		text := texts[name]
		if text == "" {
			text = "a"
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, depth+1)
	case reflect.Slice:
		items := 1
		if depth > 6 { // of what holds itself, the last list is empty
			items = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), items, items))
		for i := range items {
			fill(v.Index(i), name, depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), name, depth+1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, "", depth+1)
		fill(value, name, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), v.Type().Field(i).Name, depth+1)
			}
		}
	}
}
