package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// openAPIV2Protobuf is the only form of OpenAPI v2 that kubectl takes. Clients spell it with an @,
// which is not allowed in a media type, so the answer has a dot there.
const openAPIV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIV2 serves one OpenAPI v2 document about everything. kubectl up to 1.28 asks for nothing
// else: it validates and explains with it. Newer ones look here for what v3 does not tell them, and
// aggregators merge it into that of their cluster.
//
// The document is made of those of v3, when somebody asks for it for the first time: most servers
// never meet such a client.
func (s *Server) openAPIV2(v3 [][]byte) func(*call) error {
	build := sync.OnceValues(func() (openAPIV2Forms, error) { return s.buildOpenAPIV2(v3) })
	return func(c *call) error {
		forms, err := build()
		if err != nil {
			return err
		}
		c.w.Header().Set("Vary", "Accept")
		if wantsOpenAPIV2Protobuf(c.req) {
			return c.sendTagged(openAPIV2Protobuf, forms.protobuf, forms.protobufTag)
		}
		return c.sendTagged("application/json", forms.json, forms.jsonTag)
	}
}

// openAPIV2Forms are the same document twice. Their tags differ, because their bytes do.
type openAPIV2Forms struct {
	json, protobuf       []byte
	jsonTag, protobufTag string
}

func (s *Server) buildOpenAPIV2(v3 [][]byte) (openAPIV2Forms, error) {
	doc, different, err := convertOpenAPI(s.config.Name, s.config.Version.GitVersion, v3)
	if err != nil {
		return openAPIV2Forms{}, fmt.Errorf("OpenAPI v2: %w", err)
	}
	if len(different) > 0 {
		slices.Sort(different)
		s.config.Log.Warn("group versions have different schemas of the same models; OpenAPI v2 has the first: run gen for all of them", "models", different)
	}
	asJSON := encodeJSON(doc, "")
	parsed, err := openapi_v2.ParseDocument(asJSON)
	if err != nil {
		return openAPIV2Forms{}, fmt.Errorf("OpenAPI v2: %w", err)
	}
	asProtobuf, err := proto.Marshal(parsed)
	if err != nil {
		return openAPIV2Forms{}, fmt.Errorf("OpenAPI v2: %w", err)
	}
	return openAPIV2Forms{json: asJSON, protobuf: asProtobuf, jsonTag: etagOf(asJSON), protobufTag: etagOf(asProtobuf)}, nil
}

// wantsOpenAPIV2Protobuf knows both spellings.
func wantsOpenAPIV2Protobuf(req *http.Request) bool {
	accept := strings.Join(req.Header["Accept"], ",")
	return strings.Contains(accept, "spec.v2@v1.0+protobuf") || strings.Contains(accept, "spec.v2.v1.0+protobuf")
}
