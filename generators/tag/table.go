package tag

import (
	"fmt"
	"sort"
	"strings"

	"github.com/typeplane/typeplane/internal/suggest"
)

// families are the prefixes whose every tag must be known.
var families = []string{"k8s:", "kubebuilder:", "typeplane:"}

// Table is a set of known tags.
type Table struct {
	known map[string]Definition
	names []string // sorted
}

// NewTable joins the common tags with those of plug-ins; what a plug-in says about a tag replaces the common entry.
func NewTable(plugins ...[]Definition) *Table {
	t := &Table{known: map[string]Definition{}}
	for _, defs := range append([][]Definition{Common}, plugins...) {
		for _, d := range defs {
			t.known[d.Name] = merge(t.known[d.Name], d)
		}
	}
	for name := range t.known {
		t.names = append(t.names, name)
	}
	sort.Strings(t.names)
	return t
}

// merge lets two readers of one tag each name their scopes.
func merge(old, d Definition) Definition {
	if old.Name == "" {
		return d
	}
	if old.Scope == Anywhere || d.Scope == Anywhere {
		d.Scope = Anywhere
	} else {
		d.Scope |= old.Scope
	}
	if d.Value == None {
		d.Value = old.Value
	}
	if d.Doc == "" {
		d.Doc = old.Doc
	}
	return d
}

// Definitions returns all tags sorted by name.
func (t *Table) Definitions() []Definition {
	out := make([]Definition, 0, len(t.names))
	for _, name := range t.names {
		out = append(out, t.known[name])
	}
	return out
}

// Find returns the definition that a name belongs to: its own, or that of the longest known name which it continues
// after a colon, if that one takes fields ("kubebuilder:printcolumn:name" belongs to "kubebuilder:printcolumn").
func (t *Table) Find(name string) (Definition, bool) {
	if d, ok := t.known[name]; ok {
		return d, true
	}
	for end := strings.LastIndexByte(name, ':'); end > 0; end = strings.LastIndexByte(name[:end], ':') {
		if d, ok := t.known[name[:end]]; ok && (d.Value == Fields || d.Value == Any) {
			return d, true
		}
	}
	return Definition{}, false
}

// Checked tells whether an unknown name like this is a problem: whether it is of a family that this table knows fully.
func Checked(name string) bool {
	for _, family := range families {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}

// NameOf returns the name of the tag in a comment line, "" if the line is none.
func NameOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(line, "+") {
		return ""
	}
	line = line[1:]
	for i, r := range line {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if letter || i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune(".:-", r)) {
			continue
		}
		return strings.TrimRight(line[:i], ":.")
	}
	return strings.TrimRight(line, ":.")
}

// Check judges one comment line at a place. It returns "" if the line is no tag, a tag of other tools, or fine;
// otherwise what is wrong and the cure.
func (t *Table) Check(line string, at Scope) (message, cure string) {
	name := NameOf(line)
	if name == "" {
		return "", ""
	}
	d, known := t.Find(name)
	if !known {
		if !Checked(name) {
			return "", ""
		}
		return fmt.Sprintf("+%s is not a tag", name), t.suggestion(name)
	}
	if Checked(name) && at != Anywhere && d.Scope != Anywhere && d.Scope&at == 0 {
		return fmt.Sprintf("+%s has no effect on a %s", name, at), fmt.Sprintf("it belongs on a %s", d.Scope)
	}
	return "", ""
}

func (t *Table) suggestion(name string) string {
	if near := Nearest(name, t.names); near != "" {
		return fmt.Sprintf("did you mean +%s?", near)
	}
	return ""
}

// Nearest returns the candidate that was probably meant, "" if none is near enough; see suggest.Nearest.
func Nearest(name string, candidates []string) string { return suggest.Nearest(name, candidates) }
