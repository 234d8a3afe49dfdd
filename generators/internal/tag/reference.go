package tag

import (
	"fmt"
	"slices"
	"strings"
)

// own is the section of tags that only our plug-ins know.
const (
	ownTitle = "Tags of Typeplane"
	ownDoc   = "Tags that only gen has."
)

// sections returns the families with what plug-ins say about their tags; tags of our own come
// first.
func (t *Table) sections() []Section {
	out := []Section{{Title: ownTitle, Doc: ownDoc}}
	common := map[string]int{}
	for _, s := range Sections {
		for _, d := range s.Tags {
			common[d.Name] = len(out)
		}
		out = append(out, Section{Title: s.Title, Doc: s.Doc})
	}
	for _, s := range Sections {
		for _, d := range s.Tags {
			out[common[d.Name]].Tags = append(out[common[d.Name]].Tags, t.known[d.Name])
		}
	}
	for _, name := range t.names {
		if _, ok := common[name]; !ok {
			i := common[longestPrefix(name, common)] // 0 if it has none: one of our own
			out[i].Tags = append(out[i].Tags, t.known[name])
		}
	}
	if len(out[0].Tags) == 0 {
		return out[1:]
	}
	return out
}

// longestPrefix returns the longest of the names that a name continues after a colon or dot, "" if
// there is none.
func longestPrefix(name string, names map[string]int) string {
	for end := strings.LastIndexAny(name, ":."); end > 0; end = strings.LastIndexAny(name[:end], ":.") {
		if _, ok := names[name[:end]]; ok {
			return name[:end]
		}
	}
	return ""
}

// Text is the reference for a terminal.
func (t *Table) Text() string {
	var b strings.Builder
	for i, s := range t.sections() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", strings.ToUpper(s.Title))
		for _, d := range s.Tags {
			fmt.Fprintf(&b, "\n+%s\n    on a %s; value: %s\n", d.form(), d.Scope, d.valueText())
			for _, line := range t.about(d) {
				fmt.Fprintf(&b, "    %s\n", line)
			}
			if d.Example != "" {
				fmt.Fprintf(&b, "    // %s\n", d.Example)
			}
		}
	}
	return b.String()
}

// Markdown is the reference page.
func (t *Table) Markdown() string {
	var b strings.Builder
	b.WriteString("# Tags\n\n<!-- Printed by `gen tags --markdown`, and the table at the end by a test (`go test ./generators/internal/gen -run Tags -update -every`); do not edit. -->\n\n" +
		"A tag is a comment line that starts with a plus sign. gen reads tags from the comment above what they are about. A\n" +
		"tag of a package is in `doc.go` or above any package clause. A tag of a type or a field is in the lines right above it,\n" +
		"or in the comment before that one, with a blank line between. `name:=value` is read as `name=value`. Behind code on the\n" +
		"same line a tag has no effect, and gen says so. An unknown tag that begins with `+k8s:`, `+kubebuilder:`, `+typeplane:`\n" +
		"or `+genclient:` is an error. `--unknown-tags=warn` makes it a warning, and so a tag that has no effect where it stands.\n" +
		"`gen tags` prints this page for a terminal.\n\n" +
		"A tag without readers is known, so that it is no mistake to have it, and has no effect on what gen prints.\n" +
		"A kind that is served gets deep copies, defaults, JSON, validation and schemas without the tags for these; a package\n" +
		"switches one off with `=false`. A tag of such a kind, or of its package, that nothing acts on is an error. So is one\n" +
		"that differs by a letter from a tag without a family, like `+defualt`. Where controller-gen passes over a tag of its own,\n" +
		"as on a constant or on a list of a kind, it is a warning.\n")
	for _, s := range t.sections() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| tag | on a | value | what it does | read by |\n|---|---|---|---|---|\n", s.Title, s.Doc)
		for _, d := range s.Tags {
			about := strings.Join(escapeAll(t.about(d)), "<br>")
			if d.Example != "" {
				about += "<br>" + code(d.Example)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n",
				code("+"+d.form()), d.Scope, escape(d.valueText()), about, strings.Join(t.readBy(d.Name), ", "))
		}
	}
	return b.String()
}

// form is a tag with its arguments: "k8s:subfield(field)".
func (d Definition) form() string { return d.Name + d.Args }

func (d Definition) valueText() string {
	switch {
	case d.Value == None && d.Same != "", d.Same != "":
		return "a tag of +" + d.Same + ": follows after a colon"
	case d.Value == None:
		return "none"
	case len(d.Values) > 0:
		return oneOf(d.Values)
	case d.Value == Fields && len(d.Keys) > 0:
		return strings.Join(d.Keys, "=, ") + "="
	default:
		return string(d.Value)
	}
}

// about returns what there is to say: what readers say, each once, or else the common sentence.
func (t *Table) about(d Definition) []string {
	var out []string
	for _, r := range t.readers[d.Name] {
		if r.Doc != "" && !slices.Contains(out, r.Doc) {
			out = append(out, r.Doc)
		}
	}
	if len(out) == 0 {
		out = append(out, d.Doc)
	}
	if len(t.readers[d.Name]) == 0 {
		out = append(out, "No generator of gen reads it.")
	}
	return out
}

func (t *Table) readBy(name string) []string {
	var out []string
	for _, r := range t.readers[name] {
		if !slices.Contains(out, r.Plugin) {
			out = append(out, r.Plugin)
		}
	}
	return out
}

// code sets text in Markdown's typewriter letters, inside a table.
func code(text string) string {
	quote := "`"
	if strings.Contains(text, "`") {
		return "`` " + escape(text) + " ``"
	}
	return quote + escape(text) + quote
}

// escapeAll makes sentences fit for a table of Markdown.
func escapeAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.ReplaceAll(escape(line), "<", "&lt;")
	}
	return out
}

func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
