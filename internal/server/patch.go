package server

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// patch answers PATCH of one object.
func (s *Server) patch(c *call) error {
	// The type of the patch comes first: clients fall back on another one when it is refused.
	patchType, err := c.patchType()
	if err != nil {
		return err
	}
	rep, body, err := s.beginWrite(c)
	if err != nil {
		return err
	}
	c.recordBody(body)
	opts, err := patchOptions(c.query, patchType)
	if err != nil {
		return err
	}
	if patchType == types.ApplyYAMLPatchType {
		s.mayCreate(c)
	}
	setDefault(&opts.FieldManager, c.manager())
	view, created, err := c.resource.Patch.Patch(c.ctx, &c.request, c.name(), rest.Patch{Type: patchType, Bytes: body}, opts)
	if err != nil {
		return err
	}
	return s.sendWritten(c, created, view, rep)
}

// manager is who changes fields if the request does not say: the program, as far as its User-Agent
// can be printed.
func (c *call) manager() string {
	program, _, _ := strings.Cut(c.req.UserAgent(), "/")
	var b strings.Builder
	for _, r := range program {
		if unicode.IsPrint(r) && b.Len()+utf8.RuneLen(r) <= maxFieldManager {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// patchType is the Content-Type, without its parameters, if the resource takes such patches. None
// at all is none.
func (c *call) patchType() (types.PatchType, error) {
	name, _, _ := strings.Cut(c.req.Header.Get("Content-Type"), ";")
	patchType := types.PatchType(strings.ToLower(strings.TrimSpace(name)))
	if !slices.Contains(c.resource.PatchTypes, patchType) {
		return "", unsupportedMediaType(negotiate.Join(c.resource.PatchTypes))
	}
	return patchType, nil
}
