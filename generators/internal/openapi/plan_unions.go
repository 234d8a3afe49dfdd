package openapi

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// unionsOf are the unions that the tags of a struct tell. The union is the whole struct if +union
// is above it, else the fields with +unionDeprecated. Those of the structs embedded in it come too.
func (m *models) unionsOf(t *types.Type) []union {
	m.readComments(t.Name.Package)
	var out []union
	whole := has(m.from.OfType(t), tagUnion)
	u := union{Fields: map[string]string{}}
	for i := range t.Members {
		member := &t.Members[i]
		name := model.JSONOf(*member).Name
		at := place{owner: t, field: member, path: t.Name.Name + "." + member.Name}
		if inner := model.Pointee(member.Type); member.Embedded && name == "" && inner.Kind == types.Struct {
			if whole {
				m.fieldProblem(at, "it is embedded in a struct with +"+tagUnion, "give it a JSON name, or take the tag away")
			}
			out = append(out, m.unionsOf(inner)...)
			continue
		}
		if name == "" {
			name = member.Name
		}
		if !model.LeftOut(*member) {
			m.unionField(&u, member, name, whole, at)
		}
	}
	if len(u.Fields) == 0 {
		return out
	}
	return append(out, u)
}

// unionField puts a field into the union that it belongs to.
func (m *models) unionField(u *union, member *types.Member, name string, whole bool, at place) {
	markers := m.from.OfField(at.owner, member.Name)
	switch {
	case has(markers, tagUnion):
		m.fieldProblem(at, "+"+tagUnion+" is for structs", "put it above the struct, or say +"+tagUnionDeprecated)
	case has(markers, tagUnionDiscriminator):
		if u.Discriminator != "" {
			m.fieldProblem(at, fmt.Sprintf("it is a discriminator, and so is %q", u.Discriminator), "keep +"+tagUnionDiscriminator+" above one field")
		}
		u.Discriminator = name
	case whole || has(markers, tagUnionDeprecated):
		if m.isRequired(field{place: at, markers: m.kubebuilderMarkers(at.owner, markers), omits: model.JSONOf(*member).Omits()}) {
			m.fieldProblem(at, "it is a member of a union, and required", "add +optional")
		}
		u.Fields[name] = member.Name
	}
}
