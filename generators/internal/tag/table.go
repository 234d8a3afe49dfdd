package tag

import (
	"cmp"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/internal/suggest"
)

// families are the prefixes whose every tag must be known.
var families = []string{"k8s:", "kubebuilder:", "typeplane:", "genclient:"}

// Table is a set of known tags.
type Table struct {
	known   map[string]Definition
	names   []string // sorted
	readers map[string][]Reader
}

// Reader is a plug-in that reads a tag, and what it says about it. One that only describes what the
// tag says acts on it for lack of others.
type Reader struct {
	Plugin, Doc string
	Describes   bool
}

// NewTable joins the common tags with those of plug-ins; what a plug-in says about a tag replaces
// the common entry.
func NewTable(plugins ...[]Definition) *Table {
	t := &Table{known: map[string]Definition{}, readers: map[string][]Reader{}}
	for _, defs := range append([][]Definition{Common}, plugins...) {
		t.add(defs)
	}
	return t
}

// Read adds the tags that a plug-in reads.
func (t *Table) Read(plugin string, describes bool, defs []Definition) {
	t.add(defs)
	for _, d := range defs {
		t.readers[d.Name] = append(t.readers[d.Name], Reader{plugin, d.Doc, describes})
	}
}

func (t *Table) add(defs []Definition) {
	for _, d := range defs {
		old, found := t.known[d.Name]
		if !found {
			t.names = append(t.names, d.Name)
		} else {
			d = merge(old, d)
		}
		t.known[d.Name] = d
	}
	slices.Sort(t.names)
}

// merge lets two readers of one tag each name their scopes, and keeps what the second does not say.
func merge(old, d Definition) Definition {
	if old.Scope == Anywhere || d.Scope == Anywhere {
		d.Scope = Anywhere
	} else {
		d.Scope |= old.Scope
	}
	d.Value = cmp.Or(d.Value, old.Value)
	d.Doc = cmp.Or(d.Doc, old.Doc)
	d.Example = cmp.Or(d.Example, old.Example)
	d.Args = cmp.Or(d.Args, old.Args)
	d.Same = cmp.Or(d.Same, old.Same)
	d.Below = d.Below || old.Below
	if d.Values == nil {
		d.Values = old.Values
	}
	if d.Keys == nil {
		d.Keys = old.Keys
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

// IsRead tells whether a plug-in reads the tag that a name belongs to.
func (t *Table) IsRead(name string) bool {
	d, _ := t.Find(name)
	return len(t.readers[d.Name]) > 0
}

// Acting are the plug-ins that act on the tag that a name belongs to. Those that only describe what
// it says are among them where there are no others.
func (t *Table) Acting(name string) []string {
	d, _ := t.Find(name)
	var acting, describing []string
	for _, r := range t.readers[d.Name] {
		if r.Describes {
			describing = append(describing, r.Plugin)
		} else {
			acting = append(acting, r.Plugin)
		}
	}
	if len(acting) == 0 {
		return describing
	}
	return acting
}

// Find returns the definition that a name belongs to. It is the name's own, or that of the longest
// known name which takes fields, and which the name continues after a colon. So
// "kubebuilder:printcolumn:name" belongs to "kubebuilder:printcolumn".
func (t *Table) Find(name string) (Definition, bool) {
	d, _, ok := t.find(name)
	return d, ok
}

// find also returns where in the name that of the definition ends.
func (t *Table) find(name string) (d Definition, end int, ok bool) {
	if d, ok := t.known[name]; ok {
		return d, len(name), true
	}
	for end := strings.LastIndexByte(name, ':'); end > 0; end = strings.LastIndexByte(name[:end], ':') {
		d, ok := t.known[name[:end]]
		switch {
		case ok && (d.Value == Fields || d.Below):
			return d, end, true
		case ok && d.Same != "":
			return t.same(d, name[end+1:], end+1)
		}
	}
	return Definition{}, 0, false
}

// same looks for the rest of a name, which starts at a place in it, in the family that d names. An
// element between, the name of a field, is skipped.
func (t *Table) same(d Definition, rest string, at int) (Definition, int, bool) {
	if found, end, ok := t.find(d.Same + ":" + rest); ok {
		return found, at + end - len(d.Same) - 1, true
	}
	if _, after, ok := strings.Cut(rest, ":"); ok {
		return t.same(d, after, at+len(rest)-len(after))
	}
	return Definition{}, 0, false
}

// Checked tells whether an unknown name like this is a problem: whether it is of a family that this
// table knows fully.
func Checked(name string) bool {
	return slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(name, family) })
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

// Nearest returns the candidate that was probably meant, "" if none is near enough; see
// suggest.Nearest.
func Nearest(name string, candidates []string) string { return suggest.Nearest(name, candidates) }
