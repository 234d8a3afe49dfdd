package cel

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// fieldPath is where the error of a rule is, below the value that the rule stands on.
type fieldPath []step

// step is a field of a struct or, if key is set, an entry of a map.
type step struct {
	name string
	key  bool
}

// readPath reads .spec.name, or .spec.labels['a.b'].
func readPath(self *types.Type, text string) (out fieldPath, err error) {
	at := shape.Bare(self)
	for rest := text; rest != ""; {
		var name string
		if name, rest, err = cutStep(rest); err != nil {
			return nil, plan.Fault{Message: "fieldPath=" + text + " can't be read", Cure: "name a field, as in .spec.name or .spec.labels['a.b']"}
		}
		switch at.Kind {
		case types.Map:
			out, at = append(out, step{name, true}), shape.Bare(at.Elem)
		case types.Struct:
			m := shape.MemberByJSON(at, name)
			if m == nil {
				return nil, plan.NoSuchField(at, name)
			}
			out, at = append(out, step{name, false}), shape.Bare(m.Type)
		default:
			return nil, plan.Fault{Message: "fieldPath=" + text + " names something that is in no struct", Cure: "name a field, as in .spec.name"}
		}
	}
	return out, nil
}

// cutStep takes the first step off the text of a path; the dot before the first one may be missing.
func cutStep(text string) (name, rest string, err error) {
	if key, ok := strings.CutPrefix(text, "['"); ok {
		name, rest, ok = strings.Cut(key, "']")
		if !ok {
			return "", "", fmt.Errorf("the bracket is not closed")
		}
		return strings.NewReplacer(`\'`, `'`, `\\`, `\`).Replace(name), rest, nil
	}
	text = strings.TrimPrefix(text, ".")
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	if end == 0 {
		return "", "", fmt.Errorf("there is no name")
	}
	return text[:end], text[end:], nil
}

// code is the path as Go makes it of fldPath.
func (p fieldPath) code() string {
	out := "fldPath"
	for _, s := range p {
		if s.key {
			out += fmt.Sprintf(".Key(%q)", s.name)
		} else {
			out += fmt.Sprintf(".Child(%q)", s.name)
		}
	}
	return out
}

// String is the path as errors show it.
func (p fieldPath) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.key:
			b.WriteString("[" + s.name + "]")
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}
