package document

import (
	"strings"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// Text is the string, the number or the bool at a path of names, as selectors see it; "" if there
// is none.
func (d Document) Text(path string) string {
	r := runtimejson.NewReader(d.AppendObject(nil))
	for {
		name, rest, inside := strings.Cut(path, ".")
		if r.Peek() != '{' || !r.BeginObject("") || !to(r, name) {
			return ""
		}
		if !inside {
			return text(r)
		}
		path = rest
	}
}

// to goes to the member called name of the object that r is in.
func to(r *runtimejson.Reader, name string) bool {
	for r.NextField("") {
		if r.Name() == name {
			return true
		}
		r.Raw()
	}
	return false
}

func text(r *runtimejson.Reader) string {
	switch r.Peek() {
	case '"':
		var s string
		r.String(&s)
		return s
	case '{', '[', 'n':
		return ""
	}
	return string(r.Raw())
}
