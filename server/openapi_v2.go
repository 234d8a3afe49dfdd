package server

import (
	"net/http"
	"strings"
)

// openAPIV2Protobuf is the only form of OpenAPI v2 that kubectl takes. Clients spell it with an @, which is not allowed
// in a media type, so the answer has a dot there.
const openAPIV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIV2 serves an OpenAPI v2 document without any path or model. It is there for kubectl: one that finds no PATCH of a
// kind in v3 looks here, gives up if there is no document, and trusts the server with validation if the document
// has nothing to say about the kind.
func openAPIV2(name, version string) func(*call) error {
	asJSON := encodeJSON(map[string]any{
		"swagger": "2.0",
		"info":    map[string]string{"title": name, "version": version},
		"paths":   struct{}{},
	}, "")
	asProtobuf := emptyOpenAPIV2(name, version)
	tag := etagOf(asJSON)
	return func(c *call) error {
		c.w.Header().Set("Vary", "Accept")
		if wantsOpenAPIV2Protobuf(c.req) {
			return c.sendTagged(openAPIV2Protobuf, asProtobuf, tag)
		}
		return c.sendTagged("application/json", asJSON, tag)
	}
}

// wantsOpenAPIV2Protobuf knows both spellings.
func wantsOpenAPIV2Protobuf(req *http.Request) bool {
	accept := strings.Join(req.Header["Accept"], ",")
	return strings.Contains(accept, "spec.v2@v1.0+protobuf") || strings.Contains(accept, "spec.v2.v1.0+protobuf")
}

// Field numbers of openapi.v2.Document and Info.
const (
	v2Swagger = 1
	v2Info    = 2
	v2Paths   = 8
	v2Title   = 1
	v2Version = 2
)

func emptyOpenAPIV2(name, version string) []byte {
	info := appendBytesField(nil, v2Title, name)
	info = appendBytesField(info, v2Version, version)
	doc := appendBytesField(nil, v2Swagger, "2.0")
	doc = appendBytesField(doc, v2Info, info)
	return appendBytesField(doc, v2Paths, "")
}
