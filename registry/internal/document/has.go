package document

import "strings"

// Has tells whether a tree has what a path leads to, which is one of field.Path:
// "spec.rules[0].name", "spec.labels[app]".
func Has(tree map[string]any, path string) bool {
	if first := path[:end(path)]; len(first) < len(path) && tree[first] == nil {
		path = strings.TrimPrefix(path[len(first):], ".") // the type of an embedded struct, which is not in JSON
	}
	var at any = tree
	for path != "" {
		switch value := at.(type) {
		case map[string]any:
			at, path = member(value, path)
		case []any:
			at, path = item(value, path)
		default:
			return false
		}
	}
	return at != nil
}

// end is where the first name of a path ends.
func end(path string) int {
	if at := strings.IndexAny(path, ".["); at >= 0 {
		return at
	}
	return len(path)
}

// member follows the first step of a path, a name or a key in brackets, which may have any sign in
// it.
func member(object map[string]any, path string) (value any, rest string) {
	if !strings.HasPrefix(path, "[") {
		name := path[:end(path)]
		return object[name], strings.TrimPrefix(path[len(name):], ".")
	}
	for name, value := range object {
		if rest, ok := strings.CutPrefix(path, "["+name+"]"); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return value, strings.TrimPrefix(rest, ".")
		}
	}
	return nil, ""
}

func item(list []any, path string) (value any, rest string) {
	at := strings.IndexByte(path, ']')
	if at < 2 || path[0] != '[' {
		return nil, ""
	}
	n := 0
	for _, digit := range path[1:at] {
		if digit < '0' || digit > '9' || n > len(list) {
			return nil, ""
		}
		n = n*10 + int(digit-'0')
	}
	if n >= len(list) {
		return nil, ""
	}
	return list[n], strings.TrimPrefix(path[at+1:], ".")
}
