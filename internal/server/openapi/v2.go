package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// object is a JSON object of either version of OpenAPI.
type object = map[string]any

const (
	v3Reference = "#/components/schemas/"
	v2Reference = "#/definitions/"

	ofKubernetes = "io.k8s."
)

// Encoded are one document of OpenAPI v2, twice.
type Encoded struct{ JSON, Protobuf []byte }

// V2 makes one document of those of OpenAPI v3. different are the models that these do not agree
// on: the first counts.
func V2(info Info, v3 [][]byte) (encoded Encoded, different []string, err error) {
	doc, different, err := convertOpenAPI(info.Title, info.Version, v3)
	if err != nil {
		return Encoded{}, nil, fmt.Errorf("OpenAPI v2: %w", err)
	}
	slices.Sort(different)
	encoded.JSON = encode(doc)
	parsed, err := openapi_v2.ParseDocument(encoded.JSON)
	if err != nil {
		return Encoded{}, nil, fmt.Errorf("OpenAPI v2: %w", err)
	}
	if encoded.Protobuf, err = proto.Marshal(parsed); err != nil {
		return Encoded{}, nil, fmt.Errorf("OpenAPI v2: %w", err)
	}
	return encoded, different, nil
}

// encode is for maps of our own, which can't fail to encode.
func encode(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

// convertOpenAPI joins documents of OpenAPI v3 into one of v2. It goes by the rules of the two
// formats and knows no kind. What v2 can't say is left out, so that v2 may allow more than v3, and
// never less. If documents have other schemas for a model, the first counts, and different has the
// model's name. Models of Kubernetes' own types may differ, since custom kinds hold them to more
// rules than its own kinds do.
func convertOpenAPI(name, version string, documents [][]byte) (doc object, different []string, err error) {
	paths, definitions := object{}, object{}
	for _, document := range documents {
		var v3 struct {
			Paths      map[string]object
			Components struct{ Schemas map[string]object }
		}
		decoder := json.NewDecoder(bytes.NewReader(document))
		decoder.UseNumber() // a default stays the number that it is
		if err := decoder.Decode(&v3); err != nil {
			return nil, nil, err
		}
		for path, item := range v3.Paths {
			paths[path] = convertPath(item)
		}
		for model, schema := range v3.Components.Schemas {
			converted := convertSchema(schema)
			if known, ok := definitions[model].(object); ok {
				if !mergeModel(known, converted) && !strings.HasPrefix(model, ofKubernetes) {
					different = append(different, model)
				}
				continue
			}
			definitions[model] = converted
		}
	}
	return object{
		"swagger":     "2.0",
		"info":        object{"title": name, "version": version},
		"paths":       paths,
		"definitions": definitions,
	}, different, nil
}

const kindsExtension = "x-kubernetes-group-version-kind"

// mergeModel is for models that several group versions have, like ObjectMeta. They are the same,
// but each may say which kinds it is in its own version only.
func mergeModel(known, other object) (same bool) {
	kinds, _ := known[kindsExtension].([]any)
	more, _ := other[kindsExtension].([]any)
	for _, kind := range more {
		if !slices.ContainsFunc(kinds, func(k any) bool { return sameJSON(k, kind) }) {
			kinds = append(kinds, kind)
		}
	}
	if kinds != nil {
		known[kindsExtension], other[kindsExtension] = kinds, kinds
	}
	return sameJSON(known, other)
}

// asObject is nil for what is none.
func asObject(value any) object {
	o, _ := value.(object)
	return o
}

func sameJSON(a, b any) bool { return bytes.Equal(encode(a), encode(b)) }

func convertPath(item object) object {
	result := object{}
	for key, value := range item {
		switch value := value.(type) {
		case object: // an operation, by its method
			result[key] = convertOperation(value)
		case []any: // the parameters that all operations share
			result[key] = convertParameters(value)
		}
	}
	return result
}

// convertOperation moves the media types of bodies, which v3 says with each schema, to the
// operation.
func convertOperation(op object) object {
	result := object{}
	var parameters []any
	for key, value := range op {
		switch key {
		case "parameters":
			shared, _ := value.([]any)
			parameters = append(convertParameters(shared), parameters...)
		case "requestBody":
			body := asObject(value)
			schema, types := convertContent(body["content"])
			parameter := object{"name": "body", "in": "body", "schema": schema}
			if body["required"] == true {
				parameter["required"] = true
			}
			parameters = append(parameters, parameter)
			result["consumes"] = types
		case "responses":
			responses, types := convertResponses(asObject(value))
			result["responses"] = responses
			if len(types) > 0 {
				result["produces"] = types
			}
		default:
			result[key] = value
		}
	}
	if len(parameters) > 0 {
		result["parameters"] = parameters
	}
	return result
}

func convertResponses(responses object) (object, []string) {
	result := object{}
	produces := map[string]bool{}
	for code, value := range responses {
		response := object{"description": asObject(value)["description"]}
		schema, types := convertContent(asObject(value)["content"])
		if schema != nil {
			response["schema"] = schema
		}
		for _, t := range types {
			produces[t] = true
		}
		result[code] = response
	}
	return result, slices.Sorted(maps.Keys(produces))
}

// convertContent gives the schema of a body and its media types. v2 has one schema for all of them.
func convertContent(content any) (object, []string) {
	byType := asObject(content)
	types := slices.Sorted(maps.Keys(byType))
	if len(types) == 0 {
		return nil, nil
	}
	return convertSchema(asObject(asObject(byType[types[0]])["schema"])), types
}

// convertParameters puts the type of a parameter where v2 has it: beside the name.
func convertParameters(parameters []any) []any {
	result := make([]any, 0, len(parameters)+1)
	for _, value := range parameters {
		parameter := convertSchema(asObject(asObject(value)["schema"]))
		for key, value := range asObject(value) {
			if key != "schema" {
				parameter[key] = value
			}
		}
		result = append(result, parameter)
	}
	return result
}

// v2Keywords are what a schema may say in both versions, and in the same way. Extensions (x-…) may
// be in both, too.
var v2Keywords = []string{
	"title", "description", "type", "format", "default", "enum", "required", "readOnly", "example", "pattern",
	"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
	"maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties",
}

func convertSchema(v3 object) object {
	v2 := object{}
	for key, value := range v3 {
		switch {
		case key == "$ref":
			v2[key] = strings.Replace(fmt.Sprint(value), v3Reference, v2Reference, 1)
		case key == "items":
			v2[key] = convertSchema(asObject(value))
		case key == "additionalProperties":
			v2[key] = convertIfSchema(value)
		case key == "properties":
			v2[key] = convertProperties(asObject(value))
		case key == "allOf":
			convertAllOf(v2, value)
		case slices.Contains(v2Keywords, key) || strings.HasPrefix(key, "x-"):
			v2[key] = value
		}
	}
	if v2["type"] == nil && isStringOrMore(v3["oneOf"]) {
		v2["type"] = "string"
	}
	// In v2 there is nothing about the shape of a value beside a reference: clients refuse the
	// whole document for it.
	if v2["$ref"] != nil {
		for _, key := range []string{"type", "properties", "required", "items", "additionalProperties"} {
			delete(v2, key)
		}
	}
	// Clients of v2 know nothing of the extension, and would refuse the fields that are not listed.
	if v3["x-kubernetes-preserve-unknown-fields"] == true {
		delete(v2, "properties")
		delete(v2, "required")
	}
	return v2
}

func convertProperties(properties object) object {
	result := object{}
	for name, schema := range properties {
		result[name] = convertSchema(asObject(schema))
	}
	return result
}

// convertIfSchema converts what may be true or false instead of a schema.
func convertIfSchema(value any) any {
	if schema, ok := value.(object); ok {
		return convertSchema(schema)
	}
	return value
}

// convertAllOf unwraps an allOf of one reference, which is how v3 lets a reference have a
// description; v2 has it beside the reference.
func convertAllOf(v2 object, allOf any) {
	schemas, _ := allOf.([]any)
	if len(schemas) == 1 {
		if schema := convertSchema(asObject(schemas[0])); len(schema) == 1 && schema["$ref"] != nil {
			v2["$ref"] = schema["$ref"]
			return
		}
	}
	converted := make([]any, len(schemas))
	for i, schema := range schemas {
		converted[i] = convertSchema(asObject(schema))
	}
	v2["allOf"] = converted
}

// isStringOrMore says that values are strings or other scalars, like "25%" and 3. v2 has no oneOf;
// its clients take any scalar for a string.
func isStringOrMore(oneOf any) bool {
	schemas, _ := oneOf.([]any)
	isString := false
	for _, value := range schemas {
		switch asObject(value)["type"] {
		case "string":
			isString = true
		case "integer", "number", "boolean":
		default:
			return false
		}
	}
	return isString
}
