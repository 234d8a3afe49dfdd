package protobuf

import (
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// tags are the tags that this plug-in reads.
var tags = []tag.Definition{
	{Name: "k8s:protobuf-gen", Scope: tag.Package, Value: tag.Name,
		Doc: "package: every exported struct becomes a protobuf message, and kinds of other modules get functions; false: none does. Without it only types with +protobuf=true do.", Example: "+k8s:protobuf-gen=package"},
	{Name: "protobuf", Scope: tag.Type, Value: tag.Bool,
		Doc: "Makes a type a protobuf message, or keeps a type, or a kind of another module, from being one.", Example: "+protobuf=false"},
	{Name: "protobuf.nullable", Scope: tag.Type, Value: tag.Bool,
		Doc: "Makes a slice or map type a message of its own. So an empty one is told from a missing one, and it can stand in a list or map.", Example: "+protobuf.nullable=true"},
	{Name: "protobuf.as", Scope: tag.Type, Value: tag.Name,
		Doc: "Gives the message the fields of another struct of the package; the methods are written by hand.", Example: "+protobuf.as=Timestamp"},
	{Name: "protobuf.embed", Scope: tag.Type, Value: tag.Name,
		Doc: "Gives the message one field, of that .proto type and name and with number 1; the methods are written by hand.", Example: "+protobuf.embed=string"},
	{Name: "protobuf.options.marshal", Scope: tag.Type, Value: tag.Bool,
		Doc: "false: Marshal, MarshalTo, MarshalToSizedBuffer, Size and Unmarshal are written by hand.", Example: "+protobuf.options.marshal=false"},
	{Name: "protobuf.options.deprecated", Scope: tag.Type, Value: tag.Bool,
		Doc: "Marks the message as deprecated in the .proto file.", Example: "+protobuf.options.deprecated=true"},
	{Name: "protobuf.options", Scope: tag.Type, Value: tag.Any,
		Doc: "(gogoproto.goproto_stringer)=false: String is written by hand, or missing.", Example: "+" + stringerOption + "=false"},
}

const stringerOption = "protobuf.options.(gogoproto.goproto_stringer)"

// options is what the tags of a type say.
type options struct {
	include           string // "true", "false" or ""
	nullable          bool
	deprecated        bool
	marshal, stringer bool
	as, embed         string
	problem           bool // something was wrong and has been reported
}

// hasString tells whether String is to be printed. What stands for another type is not shown by its
// fields.
func (o options) hasString() bool { return o.stringer && o.as == "" && o.embed == "" }

// options reads the tags of a type.
func (p *planner) options(t *types.Type) options { return p.optionsIn(p.model.OfType(t), t) }

// optionsIn reads the tags of an alias, or of a type. Their names may hold parentheses, which the
// common grammar does not know.
func (p *planner) optionsIn(markers model.Markers, t *types.Type) options {
	o := options{marshal: true, stringer: true}
	for marker := range markers.All() {
		text, ok := strings.CutPrefix(marker.Text, "+protobuf")
		if !ok || text != "" && text[0] != '=' && text[0] != '.' {
			continue
		}
		name, value, _ := strings.Cut("protobuf"+text, "=")
		if suits(markers, name, t) {
			markers.Claim(marker)
		}
		wrong := func(message, cure string) {
			o.problem = true
			p.problem(t, "", message, cure)
		}
		switch name {
		case "protobuf.as":
			o.as = value
			continue
		case "protobuf.embed":
			o.embed = value
			continue
		}
		if value != "true" && value != "false" {
			wrong("+"+name+"="+value+": want true or false", "")
			continue
		}
		switch name {
		case "protobuf":
			o.include = value
		case "protobuf.nullable":
			o.nullable = value == "true"
		case "protobuf.options.marshal":
			o.marshal = value == "true"
		case "protobuf.options.deprecated":
			o.deprecated = value == "true"
		case stringerOption:
			o.stringer = value == "true"
		default:
			cure := ""
			if near := tag.Nearest(name, tagNames()); near != "" {
				cure = "did you mean +" + near + "?"
			}
			wrong("+"+name+" is not a tag", cure)
		}
	}
	return o
}

// suits tells whether a tag can say something about a type. A tag on a type that is no message is
// left unclaimed.
func suits(markers model.Markers, name string, t *types.Type) bool {
	list := false
	if under := model.Underlying(t).Kind; t.Kind == types.Alias {
		list = under == types.Slice || under == types.Map
	}
	switch name {
	case "protobuf":
		return true
	case "protobuf.nullable":
		return list
	}
	return t.Kind == types.Struct || list && markers.Has("protobuf.nullable")
}

func tagNames() []string {
	names := []string{stringerOption}
	for _, d := range tags {
		names = append(names, d.Name)
	}
	return names
}
