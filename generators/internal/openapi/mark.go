package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// mark is one constraint in a comment, whichever of the three families of tags it is written in:
//
//	+kubebuilder:validation:items:MaxLength=5   those of sigs.k8s.io/controller-tools
//	+k8s:validation:items:maxLength=5           those of kube-openapi, whose values are JSON
//	+k8s:eachVal=+k8s:maxLength=5               those of Kubernetes' declarative validation
type mark struct {
	// tag is how the user wrote its name, for messages.
	tag string
	// path leads from the value to the part of it that the constraint is about.
	path []step
	// name is that of a limit: its name in the schema.
	name string
	// text is the value as it was written; json says that it is JSON, and not the free form of
	// kubebuilder.
	text string
	json bool
}

// String is the mark as it was written.
func (m mark) String() string {
	if m.text == "" {
		return "+" + m.tag
	}
	return "+" + m.tag + "=" + m.text
}

// step goes from a value to a part of it.
type step struct {
	kind string // "items", "additionalProperties", "each" of these, or "properties"
	name string // the JSON name of a property
}

const (
	kubebuilderFamily = "kubebuilder:validation:"
	openapiFamily     = "k8s:validation:"
	declarativeFamily = "k8s:"
)

// kubebuilderLine is a marker: name, then = and the value.
var kubebuilderLine = regexp.MustCompile(`^\+(kubebuilder:[A-Za-z:]*[A-Za-z])(?:=(.*)|:(.*))?$`)

// kubebuilderMarks reads the markers of kubebuilder's family that are about one value.
func kubebuilderMarks(markers model.Markers) []mark {
	var out []mark
	for marker := range markers.All() {
		match := kubebuilderLine.FindStringSubmatch(marker.Text)
		if match == nil {
			continue
		}
		rest, ok := strings.CutPrefix(match[1], kubebuilderFamily)
		if !ok {
			continue
		}
		m := mark{tag: match[1], text: strings.TrimSpace(match[2])}
		for inner, isItems := strings.CutPrefix(rest, "items:"); isItems; inner, isItems = strings.CutPrefix(rest, "items:") {
			m.path, rest = append(m.path, step{kind: "items"}), inner
		}
		m.name = strings.ToLower(rest[:1]) + rest[1:]
		if _, ok := limits[m.name]; ok {
			markers.Claim(marker)
			out = append(out, m)
		}
	}
	return out
}

// openapiLine is a tag of kube-openapi: a path of names, then = and JSON, > and text, or nothing
// for true.
var openapiLine = regexp.MustCompile(`^\+k8s:validation:([^=>\s]+)(?:([=>])(.*))?$`)

// openapiMarks reads the tags of kube-openapi's family. Lines of text with one name are one value.
func openapiMarks(markers model.Markers) []mark {
	var out []mark
	last := ""
	for marker := range markers.All() {
		match := openapiLine.FindStringSubmatch(marker.Text)
		if match == nil {
			last = ""
			continue
		}
		markers.Claim(marker)
		name, text := match[1], match[3]
		if match[2] == ">" {
			text = strings.Trim(text, " ")
			if name == last {
				text = textOf(out[len(out)-1].text) + "\n" + text
				out = out[:len(out)-1]
			}
			text, last = string(tagvalue.Quote(text)), name
		} else {
			last = ""
		}
		if match[2] == "" {
			text = "true"
		}
		m := mark{tag: openapiFamily + name, text: text, json: true}
		m.path, m.name = openapiPath(name)
		out = append(out, m)
	}
	return out
}

// openapiPath takes items:properties:name:maxLength apart.
func openapiPath(name string) (path []step, limit string) {
	for {
		first, rest, more := strings.Cut(name, ":")
		switch {
		case !more, strings.HasPrefix(first, "cel["):
			return path, name
		case first == "properties":
			property, rest, _ := strings.Cut(rest, ":")
			path, name = append(path, step{kind: first, name: property}), rest
		default:
			path, name = append(path, step{kind: first}), rest
		}
	}
}

// declarativeMarks reads Kubernetes' declarative tags. Those that hold under a condition only say
// nothing about the value as such, nor do those with +k8s:alpha: they are not published. Wrong
// arguments are for the generator of validation to report.
func declarativeMarks(markers model.Markers) []mark {
	var out []mark
	for marker := range markers.All() {
		line := marker.Text[1:]
		if !strings.HasPrefix(line, declarativeFamily) || strings.HasPrefix(line, openapiFamily) {
			continue
		}
		t, err := codetags.Parse(line)
		if err != nil {
			continue
		}
		if m, ok := declarativeMark(t, nil); ok {
			markers.Claim(marker)
			out = addMark(out, m)
		}
	}
	return out
}

// addMark adds a mark; where characters and bytes are counted, the smaller number is left.
func addMark(marks []mark, m mark) []mark {
	bytes := declarativeFamily + "maxBytes"
	i := slices.IndexFunc(marks, func(other mark) bool {
		return other.name == m.name && slices.Equal(other.path, m.path) && (m.tag == bytes) != (other.tag == bytes)
	})
	if i < 0 {
		return append(marks, m)
	}
	old, _ := strconv.Atoi(marks[i].text)
	if n, err := strconv.Atoi(m.text); err == nil && n < old {
		marks[i] = m
	}
	return marks
}

func declarativeMark(t codetags.Tag, path []step) (mark, bool) {
	name := strings.TrimPrefix(t.Name, declarativeFamily)
	argument, _ := t.PositionalArg()
	switch {
	case t.ValueTag != nil && name == "eachVal":
		return declarativeMark(*t.ValueTag, append(path, step{kind: "each"}))
	case t.ValueTag != nil && name == "subfield":
		return declarativeMark(*t.ValueTag, append(path, step{kind: "properties", name: argument.Value}))
	case t.ValueTag != nil && name == "beta":
		return declarativeMark(*t.ValueTag, path)
	case name == "unique":
		return mark{tag: t.Name, path: path, name: "uniqueItems", text: "true", json: true}, t.Value == "set"
	case name == "maxBytes": // OpenAPI counts characters only, of which there are never more
		name = "maxLength"
	case name == "enum": // it is about the constants of the type, see enumOf
		return mark{}, false
	}
	_, known := limits[name]
	return mark{tag: t.Name, path: path, name: name, text: t.Value, json: name != "format"}, known && t.ValueTag == nil
}

// value is what the mark says, as JSON of this type.
func (m mark) value(kind string) (json.RawMessage, error) {
	switch {
	case m.text == "" && kind == "boolean":
		return json.RawMessage("true"), nil
	case m.text == "":
		return nil, fmt.Errorf("it needs a value")
	case !m.json:
		return tagvalue.Read(m.text, kind)
	case !json.Valid([]byte(m.text)):
		return nil, fmt.Errorf("%s is not JSON", m.text)
	}
	return json.RawMessage(m.text), tagvalue.Fits(json.RawMessage(m.text), kind)
}
