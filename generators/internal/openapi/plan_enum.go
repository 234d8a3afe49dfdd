package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	gotypes "go/types"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// enumOf are the constants of a type that is tagged +enum; nil for other types.
func (m *models) enumOf(t *types.Type) []json.RawMessage {
	var out []json.RawMessage
	for _, c := range m.enumConstants(t) {
		out = append(out, m.constant(c.Name))
	}
	return out
}

// enumConstants are the constants of a type that is tagged +enum, by value, each value once: of two
// constants with one value the one that says more about it.
func (m *models) enumConstants(t *types.Type) []*types.Type {
	m.readComments(t.Name.Package)
	if t.Kind != types.Alias || !m.isEnum(t) {
		return nil
	}
	pkg := m.from.Package(t.Name.Package)
	if pkg == nil {
		return nil
	}
	var out []*types.Type
	for _, c := range pkg.Types.Constants {
		if c.Underlying == t && c.ConstValue != nil && !has(m.from.OfConstant(c), tagEnumExclude) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *types.Type) int {
		return cmp.Or(
			strings.Compare(*a.ConstValue, *b.ConstValue),
			len(strings.Join(m.from.Doc(b), ""))-len(strings.Join(m.from.Doc(a), "")),
			strings.Compare(a.Name.Name, b.Name.Name),
		)
	})
	out = slices.CompactFunc(out, func(a, b *types.Type) bool { return *a.ConstValue == *b.ConstValue })
	if len(out) == 0 && m.ours(t) {
		m.problem(m.from.TypePos(t), t.Name.Name, "it is tagged +"+tagEnum+" and there is no constant of this type",
			"declare its values as constants, or list them with +"+tagEnumValues+"=A;B")
	}
	return out
}

// isEnum says whether the constants of a type are all its values. In types of other modules +enum
// says so for Kubernetes' own kinds only.
func (m *models) isEnum(t *types.Type) bool {
	markers := m.from.OfType(t)
	return has(markers, tagK8sEnum) || has(markers, tagEnum) && (m.ours(t) || !m.resources)
}

// enumDescription says below a field what each value means, in the words of the constants'
// comments.
func (m *models) enumDescription(t *types.Type) []string {
	constants := m.enumConstants(model.Pointee(t))
	if len(constants) == 0 {
		return nil
	}
	lines := []string{"", "Possible enum values:"}
	for _, c := range constants {
		prose := slices.DeleteFunc(slices.Clone(m.from.Doc(c)), func(line string) bool {
			return strings.HasPrefix(strings.TrimSpace(line), "+")
		})
		comment := strings.TrimPrefix(strings.TrimSpace(strings.Join(prose, " ")), c.Name.Name)
		comment = strings.Join(strings.Fields(comment), " ")
		lines = append(lines, strings.TrimRight(fmt.Sprintf(" - `%q` %s", *c.ConstValue, comment), " "))
	}
	return lines
}

// constant is the value of a constant as JSON; nil if there is no such constant.
func (m *models) constant(name types.Name) json.RawMessage {
	pkg := m.from.Package(name.Package)
	if pkg == nil {
		return nil
	}
	c := pkg.Types.Constants[name.Name]
	if c == nil || c.ConstValue == nil {
		return nil
	}
	if basic, ok := c.GoType.Underlying().(*gotypes.Basic); ok && basic.Info()&gotypes.IsString != 0 {
		return json.RawMessage(printed(*c.ConstValue))
	}
	return json.RawMessage(*c.ConstValue)
}
