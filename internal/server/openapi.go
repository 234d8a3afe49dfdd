package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/internal/server/openapi"
	"github.com/typeplane/typeplane/registry/rest"
)

// openAPIDocument is a document of OpenAPI v3, ready to be sent.
type openAPIDocument struct {
	path string // "/openapi/v3/apis/G/V"
	body []byte
	hash string
}

// buildOpenAPI builds /openapi/v3, which names a document for each group version that has schemas,
// the documents, and what serves them as OpenAPI v2.
func (s *Server) buildOpenAPI() error {
	info := openapi.Info{Title: s.config.Name, Version: s.config.Version.GitVersion}
	documents, err := openapi.Describe(info, discovery.Groups(s.config.Resources), s.config.OpenAPI)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	root := map[string]openAPIReference{}
	var bodies [][]byte
	for _, d := range documents {
		doc := openAPIDocument{path: "/openapi/v3" + d.About, body: d.Body, hash: etagOf(d.Body)}
		root[strings.TrimPrefix(d.About, "/")] = openAPIReference{doc.url()}
		s.documents[doc.path] = doc.serve
		bodies = append(bodies, d.Body)
	}
	index := encodeJSON(map[string]any{"paths": root}, "")
	tag := etagOf(index)
	s.documents["/openapi/v3"] = func(c *call) error {
		return c.sendTagged("application/json", index, tag)
	}
	s.documents["/openapi/v2"] = s.openAPIV2(info, bodies)
	return nil
}

type openAPIReference struct {
	ServerRelativeURL string `json:"serverRelativeURL"`
}

func (d openAPIDocument) url() string { return d.path + "?hash=" + d.hash }

// serve sends the document. Under the address with the right hash it never changes, so a client
// need not ask for it twice; under a wrong one it is somewhere else.
func (d openAPIDocument) serve(c *call) error {
	header := c.w.Header()
	header.Set("Vary", "Accept")
	// Some clients would take a protobuf form, which there is none of; they all list something else
	// behind it.
	if _, err := c.representation([]rest.MediaType{rest.JSON}); err != nil {
		return err
	}
	if hash := c.query.Get("hash"); hash != "" {
		if hash != d.hash {
			http.Redirect(c.w, c.req, d.url(), http.StatusMovedPermanently)
			return nil
		}
		header.Set("Cache-Control", "public, immutable")
		header.Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	return c.sendTagged(string(rest.JSON), d.body, d.hash)
}

// openAPIV2Protobuf is the only form of OpenAPI v2 that kubectl takes. Clients spell it with an @,
// which is not allowed in a media type, so the answer has a dot there.
const openAPIV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIV2 serves one OpenAPI v2 document about everything. kubectl up to 1.28 asks for nothing
// else: it validates and explains with it. Newer ones look here for what v3 does not tell them, and
// aggregators merge it into that of their cluster.
//
// The document is made of those of v3, when somebody asks for it for the first time: most servers
// never meet such a client.
func (s *Server) openAPIV2(info openapi.Info, v3 [][]byte) func(*call) error {
	build := sync.OnceValues(func() (openAPIV2Forms, error) {
		encoded, different, err := openapi.V2(info, v3)
		if len(different) > 0 {
			s.config.Log.Warn("group versions have different schemas of the same models; OpenAPI v2 has the first: run gen for all of them", "models", different)
		}
		return openAPIV2Forms{encoded, etagOf(encoded.JSON), etagOf(encoded.Protobuf)}, err
	})
	return func(c *call) error {
		encoded, err := build()
		if err != nil {
			return err
		}
		c.w.Header().Set("Vary", "Accept")
		if wantsOpenAPIV2Protobuf(c.req) {
			return c.sendTagged(openAPIV2Protobuf, encoded.Protobuf, encoded.protobufTag)
		}
		return c.sendTagged("application/json", encoded.JSON, encoded.jsonTag)
	}
}

// openAPIV2Forms are the same document twice. Their tags differ, because their bytes do.
type openAPIV2Forms struct {
	openapi.Encoded
	jsonTag, protobufTag string
}

// wantsOpenAPIV2Protobuf knows both spellings.
func wantsOpenAPIV2Protobuf(req *http.Request) bool {
	accept := strings.Join(req.Header["Accept"], ",")
	return strings.Contains(accept, "spec.v2@v1.0+protobuf") || strings.Contains(accept, "spec.v2.v1.0+protobuf")
}
