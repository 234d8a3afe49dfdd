package openapi

import (
	"encoding/json"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"github.com/google/go-cmp/cmp"
)

func TestConvertSchema(t *testing.T) {
	for name, tc := range map[string]struct{ v3, v2 string }{
		"keywords":                     {`{"type":"integer","format":"int64","minimum":1,"default":9007199254740993,"enum":[1,2],"x-a":{"b":[]}}`, `{"type":"integer","format":"int64","minimum":1,"default":9007199254740993,"enum":[1,2],"x-a":{"b":[]}}`},
		"reference":                    {`{"$ref":"#/components/schemas/a.B"}`, `{"$ref":"#/definitions/a.B"}`},
		"reference with a description": {`{"description":"d","default":{},"allOf":[{"$ref":"#/components/schemas/a.B"}]}`, `{"description":"d","default":{},"$ref":"#/definitions/a.B"}`},
		"reference with more rules":    {`{"type":"object","properties":{"name":{"maxLength":63}},"required":["name"],"allOf":[{"$ref":"#/components/schemas/a.B"}]}`, `{"$ref":"#/definitions/a.B"}`},
		"all of several":               {`{"allOf":[{"$ref":"#/components/schemas/a.B"},{"required":["x"]}]}`, `{"allOf":[{"$ref":"#/definitions/a.B"},{"required":["x"]}]}`},
		"list":                         {`{"type":"array","items":{"$ref":"#/components/schemas/a.B"},"x-kubernetes-list-type":"atomic"}`, `{"type":"array","items":{"$ref":"#/definitions/a.B"},"x-kubernetes-list-type":"atomic"}`},
		"map":                          {`{"type":"object","additionalProperties":{"$ref":"#/components/schemas/a.B"}}`, `{"type":"object","additionalProperties":{"$ref":"#/definitions/a.B"}}`},
		"map of anything":              {`{"type":"object","additionalProperties":true}`, `{"type":"object","additionalProperties":true}`},
		"names like keywords":          {`{"type":"object","properties":{"oneOf":{"type":"string"},"nullable":{"type":"boolean"},"default":{"type":"integer"}}}`, `{"type":"object","properties":{"oneOf":{"type":"string"},"nullable":{"type":"boolean"},"default":{"type":"integer"}}}`},
		"int or string":                {`{"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]}`, `{"type":"string","format":"int-or-string"}`},
		"quantity":                     {`{"oneOf":[{"type":"string"},{"type":"number"}]}`, `{"type":"string"}`},
		"one of other things":          {`{"oneOf":[{"type":"string"},{"type":"object"}]}`, `{}`},
		"no word for it":               {`{"type":"string","nullable":true,"not":{},"anyOf":[],"deprecated":true,"writeOnly":true}`, `{"type":"string"}`},
		"unknown fields are kept":      {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},"x-kubernetes-preserve-unknown-fields":true}`, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			compareJSON(t, tc.v2, convertSchema(parseObject(t, tc.v3)))
		})
	}
}

// What kubectl looks for in the description of PATCH is which types of patches there are, and
// fieldValidation.
func TestConvertOperation(t *testing.T) {
	const v3 = `{
		"operationId":"patchBook","tags":["t"],"description":"d","x-kubernetes-action":"patch",
		"x-kubernetes-group-version-kind":{"group":"g","version":"v1","kind":"Book"},
		"parameters":[{"name":"fieldValidation","in":"query","description":"f","schema":{"type":"string","uniqueItems":true}}],
		"requestBody":{"required":true,"content":{"application/merge-patch+json":{"schema":{"$ref":"#/components/schemas/Patch"}},"application/json-patch+json":{"schema":{"$ref":"#/components/schemas/Patch"}}}},
		"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Book"}},"application/yaml":{"schema":{"$ref":"#/components/schemas/Book"}}}},"401":{"description":"Unauthorized"}}}`
	const v2 = `{
		"operationId":"patchBook","tags":["t"],"description":"d","x-kubernetes-action":"patch",
		"x-kubernetes-group-version-kind":{"group":"g","version":"v1","kind":"Book"},
		"consumes":["application/json-patch+json","application/merge-patch+json"],
		"produces":["application/json","application/yaml"],
		"parameters":[
			{"name":"fieldValidation","in":"query","description":"f","type":"string","uniqueItems":true},
			{"name":"body","in":"body","required":true,"schema":{"$ref":"#/definitions/Patch"}}],
		"responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/Book"}},"401":{"description":"Unauthorized"}}}`
	compareJSON(t, v2, convertOperation(parseObject(t, v3)))
}

// Whatever a schema says, the result is OpenAPI v2: the strict parser of gnostic, which kubectl's
// document goes through, takes it.
func TestConvertedIsV2(t *testing.T) {
	doc, different, err := convertOpenAPI("n", "v", [][]byte{[]byte(`{"paths":{"/a/{b}":{"get":{"operationId":"x","responses":{}},"parameters":[
		{"name":"b","in":"path","required":true,"description":"d","schema":{"type":"string"}}]}},
		"components":{"schemas":{"A":{"nullable":true,"anyOf":[{}],"properties":{"x":{"oneOf":[{"type":"string"}],"discriminator":{"propertyName":"y"}}}}}}}`)})
	if err != nil || different != nil {
		t.Fatal(different, err)
	}
	if _, err := openapi_v2.ParseDocument(encode(doc)); err != nil {
		t.Error(err)
	}
	if _, _, err := convertOpenAPI("n", "v", [][]byte{[]byte(`{"paths":[]}`)}); err == nil {
		t.Error("a document that is none was converted")
	}
}

func parseObject(t *testing.T, text string) object {
	t.Helper()
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func compareJSON(t *testing.T, want string, got object) {
	t.Helper()
	if diff := cmp.Diff(parseObject(t, want), parseObject(t, string(encode(got)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
