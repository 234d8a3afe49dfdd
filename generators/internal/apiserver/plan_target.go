package apiserver

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// target is the field that a JSONPath leads to.
type target struct {
	// value is the Go expression of the field, like "in.Spec.ISBN"; a pointer is followed
	// ("*in.Spec.ISBN").
	value string
	// guards are what must not be nil for value to exist, outermost first.
	guards []guard
	leaf   *types.Type
	// steps are the fields on the way, each with the struct that it is a field of.
	steps []fieldOf
}

// fieldOf is a field of a struct.
type fieldOf struct {
	parent *types.Type
	member types.Member
}

// guard is a pointer on the way to a field: the Go expression, and what it points to.
type guard struct {
	value string
	elem  *types.Type
}

// jsonPath takes the dot from a path of plain fields; ok is false for everything that is none.
func jsonPath(path string) (label string, ok bool) {
	label, ok = strings.CutPrefix(path, ".")
	return label, ok && label != "" && !strings.ContainsAny(label, "[]{}*@()'\" ") && !strings.Contains(label, "..")
}

// resolve finds the field of a kind that a path of JSON names leads to, or says what is wrong with
// it.
func resolve(kind *types.Type, label string) (f target, message, cure string) {
	f.value = "in"
	at := kind
	for name := range strings.SplitSeq(label, ".") {
		if at.Kind == types.Pointer {
			f.guards = append(f.guards, guard{f.value, at.Elem})
			at = at.Elem
		}
		if at.Kind != types.Struct {
			return f, fmt.Sprintf("%s is a %s, not a struct with a field %s", shown(f.value, kind), at, name), "name a field"
		}
		steps, next := jsonField(at, name)
		if next == nil {
			message, cure = noField(shown(f.value, kind), at, name)
			return f, message, cure
		}
		for i, step := range steps {
			f.steps = append(f.steps, fieldOf{at, step})
			if at = step.Type; at.Kind == types.Pointer {
				at = at.Elem
			}
			f.value += "." + step.Name
			if i < len(steps)-1 && step.Type.Kind == types.Pointer {
				f.guards = append(f.guards, guard{f.value, step.Type.Elem})
			}
		}
		at = next
	}
	if at.Kind == types.Pointer {
		f.guards = append(f.guards, guard{f.value, at.Elem})
		f.value, at = "*"+f.value, at.Elem
	}
	f.leaf = at
	return f, "", ""
}

// noField says that a struct, which the user knows as where, has no field with a name in JSON.
func noField(where string, t *types.Type, name string) (message, cure string) {
	known := model.JSONNames(t)
	message = fmt.Sprintf("%s has no field %s", where, name)
	if near := tag.Nearest(name, known); near != "" {
		return message, "did you mean " + near + "?"
	}
	return message, "it has " + strings.Join(known, ", ")
}

// exists is the Go condition under which the field can be read; "" if it always can.
func (f target) exists() string {
	var conditions []string
	for _, g := range f.guards {
		conditions = append(conditions, g.value+" != nil")
	}
	return strings.Join(conditions, " && ")
}

// shown is a Go expression as the user knows it: Book.Spec instead of in.Spec.
func shown(expression string, kind *types.Type) string {
	return strings.Replace(expression, "in", kind.Name.Name, 1)
}
