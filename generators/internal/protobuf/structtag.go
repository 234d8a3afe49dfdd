package protobuf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// structTag is what the protobuf and json tags of a Go field say.
type structTag struct {
	skip   bool
	name   string // of the field in the .proto file
	wire   string // how the value is written, or a .proto type; "" if the tag does not say
	number int32  // 0 if the tag does not say
	odd    string // a part that says nothing
}

// readTag reads the struct tags of a field.
func readTag(m types.Member) (structTag, error) {
	said := model.JSONOf(m)
	st := structTag{name: defaultName(m.Name, said.Name)}
	text, found := model.StructTag(m, "protobuf")
	if text == "-" {
		st.skip = true
		return st, nil
	}
	if found {
		if err := st.parse(text); err != nil {
			return st, err
		}
	}
	// A number says that the field is meant even if JSON leaves it out.
	st.skip = said.Left && st.number == 0
	return st, nil
}

// parse reads "bytes,3,opt,name=title,casttype=Title". The third part and the casts say nothing
// that the Go type does not say already.
func (st *structTag) parse(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		return fmt.Errorf("protobuf:%q has no field number", text)
	}
	number, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil || number < 1 {
		return fmt.Errorf("protobuf:%q: %q is not a field number", text, parts[1])
	}
	st.wire, st.number = parts[0], int32(number)
	for _, part := range parts[2:] {
		key, value, pair := strings.Cut(part, "=")
		switch key {
		case "name":
			if !isIdentifier(value) {
				return fmt.Errorf("protobuf:%q: %q is not a name", text, value)
			}
			st.name = value
		case "opt", "req", "rep", "casttype", "castkey", "castvalue", "json", "":
		default:
			if pair { // go-to-protobuf passes over it
				st.odd = part
				continue
			}
			return fmt.Errorf("protobuf:%q: %s is not known", text, part)
		}
	}
	return nil
}

// defaultName is the field's name in JSON, or the Go name with a small first letter.
func defaultName(goName, json string) string {
	if isIdentifier(json) {
		return json
	}
	return strings.ToLower(goName[:1]) + goName[1:]
}

// isIdentifier tells whether a .proto file may have the name.
func isIdentifier(name string) bool {
	for i, r := range name {
		letter := r < unicode.MaxASCII && (unicode.IsLetter(r) || r == '_')
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
