package typescript

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"k8s.io/gengo/v2/types"
)

// baseName is what a type is called if nothing else is.
func baseName(t *types.Type) string {
	name, _, _ := strings.Cut(t.Name.Name, "[")
	return name
}

// words can't be the name of a type, or are types that the file uses.
var words = []string{
	"any", "bigint", "boolean", "never", "null", "number", "object", "string", "symbol", "undefined", "unknown", "void",
	"Omit", "Partial",
	"as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum",
	"export", "extends", "false", "finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new",
	"package", "private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "type", "typeof",
	"var", "while", "with", "yield",
}

// names gives each type a name. If several packages declare one name, it belongs to the package
// that asks (own). The types of the others have as much of their import path in front as tells them
// apart.
func (p *planner) names(own map[string]*types.Type, aliases []decl) map[*types.Type]string {
	same := map[string][]*types.Type{}
	for t := range p.done {
		same[baseName(t)] = append(same[baseName(t)], t)
	}
	taken := map[string]bool{}
	for _, word := range words {
		taken[word] = true
	}
	for _, a := range aliases {
		taken[a.name] = true
	}
	out := map[*types.Type]string{}
	bases := slices.Sorted(maps.Keys(same))
	for _, base := range bases { // plain names first
		t := own[base]
		if t == nil && len(same[base]) == 1 {
			t = same[base][0]
		}
		if t != nil && !taken[base] {
			out[t], taken[base] = base, true
		}
	}
	for _, base := range bases {
		rest := slices.DeleteFunc(slices.Clone(same[base]), func(t *types.Type) bool { return out[t] != "" })
		slices.SortFunc(rest, func(a, b *types.Type) int { return strings.Compare(a.Name.String(), b.Name.String()) })
		for i, name := range qualified(rest, taken) {
			out[rest[i]], taken[name] = name, true
		}
	}
	return out
}

// qualified are names of types that differ, and that are not taken: with one element of the import
// path in front, or more.
func qualified(same []*types.Type, taken map[string]bool) []string {
	longest := 0
	for _, t := range same {
		longest = max(longest, strings.Count(t.Name.Package, "/")+1)
	}
	for n := 1; ; n++ {
		var names []string
		for _, t := range same {
			name := pathName(t.Name.Package, n) + baseName(t)
			if n > longest { // paths that differ in nothing that a name can have
				name += fmt.Sprint(len(names) + n)
			}
			if taken[name] || slices.Contains(names, name) {
				break
			}
			names = append(names, name)
		}
		if len(names) == len(same) {
			return names
		}
	}
}

// pathName is the end of an import path as a name: CoreV1 for two elements of k8s.io/api/core/v1.
func pathName(path string, n int) string {
	elements := strings.Split(path, "/")
	var b strings.Builder
	for _, element := range elements[max(0, len(elements)-n):] {
		upper := true
		for _, r := range element {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				upper = true
				continue
			}
			if upper {
				r, upper = unicode.ToUpper(r), false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
