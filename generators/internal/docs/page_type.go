package docs

import (
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// typ is the section about a struct or an enum.
func (r *renderer) typ(t *model.Type) {
	r.line("\n### " + r.headings[t])
	r.paragraph(prose(t.Doc))
	if users := r.used[t]; len(users) > 0 {
		r.paragraph("Used as " + list(users) + ".")
	}
	if t.Atomic {
		r.paragraph("Applied as a whole.")
	}
	if len(t.Enum) > 0 {
		r.values(t)
		return
	}
	r.fields(t)
}

func (r *renderer) values(t *model.Type) {
	r.line("\n| value | meaning |\n|---|---|")
	for _, v := range t.Enum {
		r.line("| " + code(v.JSON) + " | " + cell(v.Doc) + " |")
	}
}

func (r *renderer) fields(t *model.Type) {
	if len(t.Fields) == 0 {
		r.paragraph("It has no fields.")
		return
	}
	r.line("\n| field | type | description |\n|---|---|---|")
	for _, f := range t.Fields {
		r.line(fmt.Sprintf("| %s | %s | %s |", name(f), r.shape(f.Shape), description(f)))
	}
}

// name is the first cell: the JSON name, and what everybody must know of the field.
func name(f *model.Field) string {
	text := code(f.Name)
	if f.Required {
		text += " *required*"
	}
	if deprecated(f) {
		text += " *deprecated*"
	}
	return text
}

func deprecated(f *model.Field) bool {
	for _, b := range blocks(f.Doc) {
		if lower := strings.ToLower(b.text); strings.HasPrefix(lower, "deprecated:") || strings.HasPrefix(lower, "deprecated.") {
			return true
		}
	}
	return false
}

// description is the comment, and in a line of its own what tags say.
func description(f *model.Field) string {
	text := cell(f.Doc)
	if f.Shape.Text == "metadata" && text == "" {
		text = "Name, namespace, labels and what else every object has."
	}
	known := strings.Join(facts(f), " ")
	if text != "" && known != "" {
		text += "<br>"
	}
	return text + known
}

const objectMeta = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/"

// shape is the type of a field, with links.
func (r *renderer) shape(s model.Shape) string {
	switch {
	case s.Struct != nil:
		return r.link(s.Struct)
	case s.Named != nil:
		return r.link(s.Named)
	case s.Text == "list":
		return "list of " + r.shape(*s.Elem)
	case s.Text == "map" && s.Key.Text == "string" && s.Key.Named == nil:
		return "map of " + r.shape(*s.Elem)
	case s.Text == "map":
		return "map from " + r.shape(*s.Key) + " to " + r.shape(*s.Elem)
	case s.Text == "metadata":
		return "[ObjectMeta](" + objectMeta + ")"
	}
	return escape(s.Text)
}

func (r *renderer) link(t *model.Type) string {
	heading := r.headings[t]
	if heading == "" {
		return t.Name // the type of a map's key
	}
	return fmt.Sprintf("[%s](#%s)", heading, slug(heading))
}
