package docs

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// render lays out a page.
func render(p page) []byte {
	r := renderer{page: p, headings: headings(p.api), used: uses(p.api)}
	r.line(markStart + p.api.Path + markEnd)
	r.line("")
	r.line("# " + title(p.api))
	r.paragraph(prose(introduction(p.api)))
	r.kinds()
	for _, k := range p.api.Kinds {
		r.kind(k)
	}
	if len(p.api.Types) > 0 {
		r.line("\n## What they are made of")
	}
	for _, t := range p.api.Types {
		r.typ(t)
	}
	return []byte(r.b.String())
}

type renderer struct {
	page
	b        strings.Builder
	headings map[*model.Type]string
	used     map[*model.Type][]string // where each type is used, as Markdown without links to it
}

func (r *renderer) line(s string) { r.b.WriteString(s + "\n") }

// paragraph writes Markdown with an empty line before it, nothing if there is none.
func (r *renderer) paragraph(s string) {
	if s = strings.TrimRight(s, "\n"); s != "" {
		r.line("\n" + s)
	}
}

func groupVersion(api *model.API) string { return strings.TrimPrefix(api.Group+"/"+api.Version, "/") }

// introduction is the package's comment, said of the version.
func introduction(api *model.API) []string {
	doc := slices.Clone(api.Doc)
	if len(doc) > 0 {
		doc[0] = packageClause.ReplaceAllString(doc[0], "This version ")
	}
	return doc
}

var packageClause = regexp.MustCompile(`^Package \w+ `)

// title is the group and version; that of Kubernetes' core has no name.
func title(api *model.API) string {
	if api.Group == "" {
		return api.Version + ", the core group"
	}
	return groupVersion(api)
}

// headings are the names of the sections about types: their own, and where two have one name, with
// the package.
func headings(api *model.API) map[*model.Type]string {
	out := map[*model.Type]string{}
	taken := map[string]int{}
	for _, k := range api.Kinds {
		taken[strings.ToLower(k.Name)]++
		out[k.Type] = k.Name
	}
	for _, t := range api.Types {
		taken[strings.ToLower(t.Name)]++
	}
	for _, t := range api.Types {
		out[t] = t.Name
		if taken[strings.ToLower(t.Name)] > 1 {
			out[t] = t.Name + " of " + path.Base(path.Dir(t.Path)) + "/" + path.Base(t.Path)
		}
	}
	return out
}

// uses lists for each type the fields that are of it.
func uses(api *model.API) map[*model.Type][]string {
	names := headings(api)
	out := map[*model.Type][]string{}
	note := func(t *model.Type) {
		at := map[*model.Type][]string{}
		var order []*model.Type
		for _, f := range t.Fields {
			for s := &f.Shape; s != nil; s = s.Elem {
				for _, used := range []*model.Type{s.Struct, s.Named} {
					if used == nil || slices.Contains(at[used], code(f.Name)) {
						continue
					}
					if at[used] == nil {
						order = append(order, used)
					}
					at[used] = append(at[used], code(f.Name))
				}
			}
		}
		for _, used := range order {
			out[used] = append(out[used], fmt.Sprintf("%s of [%s](#%s)", list(at[used]), names[t], slug(names[t])))
		}
	}
	for _, k := range api.Kinds {
		note(k.Type)
	}
	for _, t := range api.Types {
		note(t)
	}
	return out
}

// list joins words with commas and an "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// kinds is the table of contents.
func (r *renderer) kinds() {
	r.line("\n| kind | resource | what it is |\n|---|---|---|")
	for _, k := range r.api.Kinds {
		summary := ""
		if b := blocks(k.Doc); len(b) > 0 {
			summary = cell([]string{firstSentence(b[0].text)})
		}
		resource := code(k.Plural)
		if !k.Listed {
			resource = "none"
		}
		r.line(fmt.Sprintf("| [%s](#%s) | %s | %s |", k.Name, slug(k.Name), resource, summary))
	}
}

func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

func (r *renderer) kind(k *model.Kind) {
	r.line("\n## " + k.Name)
	r.paragraph(prose(k.Doc))
	if len(k.Doc) == 0 {
		r.paragraph(prose(k.Type.Doc))
	}
	r.line("\n| | |\n|---|---|")
	row := func(what, text string) {
		if text != "" {
			r.line("| " + what + " | " + text + " |")
		}
	}
	row("apiVersion, kind", code(groupVersion(r.api))+", "+code(k.Name))
	if !k.Listed {
		row("resource", "none: it is sent to a subresource, or received from one")
		r.fields(k.Type)
		return
	}
	row("resource", r.resource(k))
	if !k.Served {
		row("served", "no: objects in this version are only read from the store")
	} else {
		row("URL", code(r.url(k)))
		row("verbs", strings.Join(k.Verbs, ", "))
	}
	row("subresources", subresources(k))
	row("field selectors", r.selectors(k))
	row("kubectl get shows", columns(k, false))
	row("with -o wide also", columns(k, true))
	row("other versions", r.otherVersions(k))
	r.fields(k.Type)
}

func (r *renderer) resource(k *model.Kind) string {
	names := []string{"singular " + code(k.Singular)}
	if len(k.ShortNames) > 0 {
		names = append(names, "short "+list(codes(k.ShortNames)))
	}
	if len(k.Categories) > 0 {
		names = append(names, map[bool]string{true: "in the category ", false: "in the categories "}[len(k.Categories) == 1]+list(codes(k.Categories)))
	}
	scope := "in a namespace"
	if !k.Namespaced {
		scope = "of the whole cluster"
	}
	return code(k.Plural) + " (" + strings.Join(names, ", ") + "), " + scope
}

func codes(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = code(w)
	}
	return out
}

func (r *renderer) url(k *model.Kind) string {
	url := "/apis/" + r.api.Group + "/" + r.api.Version
	if r.api.Group == "" {
		url = "/api/" + r.api.Version
	}
	if k.Namespaced {
		url += "/namespaces/{namespace}"
	}
	return url + "/" + k.Plural + "/{name}"
}

func subresources(k *model.Kind) string {
	var out []string
	if k.Status {
		out = append(out, "`status`")
	}
	if k.Scale {
		out = append(out, "`scale`")
	}
	return list(append(out, codes(k.Subresources)...))
}

func (r *renderer) selectors(k *model.Kind) string {
	fields := []string{"metadata.name"}
	if k.Namespaced {
		fields = append(fields, "metadata.namespace")
	}
	return strings.Join(codes(append(fields, k.Selectable...)), ", ")
}

func columns(k *model.Kind, wide bool) string {
	var out []string
	for _, c := range k.Columns {
		if onlyWide := c.Priority != "" && c.Priority != "0"; onlyWide != wide {
			continue
		}
		text := inTable(escape(c.Name)) + " (" + code(strings.TrimPrefix(c.Path, ".")) + ")"
		if c.Description != "" {
			text += ": " + inTable(escape(c.Description))
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func (r *renderer) otherVersions(k *model.Kind) string {
	var out []string
	for _, p := range r.others {
		if slices.ContainsFunc(p.api.Kinds, func(o *model.Kind) bool { return o.Name == k.Name }) {
			out = append(out, fmt.Sprintf("[%s](%s#%s)", p.api.Version, p.name, slug(k.Name)))
		}
	}
	return strings.Join(out, ", ")
}
