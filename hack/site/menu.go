package main

import (
	"encoding/json"
	"strings"
)

// entry is a line of the menu, as VitePress takes it. Collapsed says that what is below is folded
// up until somebody asks for it; nil: it can't be folded.
type entry struct {
	Text      string  `json:"text"`
	Link      string  `json:"link,omitempty"`
	Collapsed *bool   `json:"collapsed,omitempty"`
	Items     []entry `json:"items,omitempty"`
}

// menu is the index as a menu: its headings, and below each the pages that it lists. A page stands
// where it is named first as a whole. A link to a part of a page does not place it.
func (s *site) menu() string {
	var entries []entry
	taken := map[*page]bool{s.by[index]: true, s.by[readme]: true}
	sections := strings.Split(s.by[index].text, "\n## ")
	for _, section := range sections[1:] {
		title, text, _ := strings.Cut(section, "\n")
		e := entry{Text: strings.TrimSpace(title)}
		for _, p := range s.placed(text, taken) {
			e.Items = append(e.Items, entryOf(p, taken))
		}
		entries = append(entries, e)
	}
	text, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		panic(err) // strings and lists of them can't fail
	}
	return string(text) + "\n"
}

// placed are the pages that a section names, those aside that are taken; it takes them.
func (s *site) placed(text string, taken map[*page]bool) (pages []*page) {
	names := map[string]*page{}
	for _, p := range s.pages {
		names["/"+p.name] = p
	}
	mapLinks(text, func(l written) string {
		if p := names[l.to]; p != nil && l.anchor == "" && !taken[p] {
			taken[p] = true
			pages = append(pages, p)
		}
		return l.String()
	})
	return pages
}

func entryOf(p *page, taken map[*page]bool) entry {
	e := entry{Text: p.title, Link: "/" + strings.TrimSuffix(strings.TrimSuffix(p.name, ".md"), "index")}
	for _, child := range below(p, taken) {
		taken[child], e.Collapsed = true, new(true)
		e.Items = append(e.Items, entryOf(child, taken))
	}
	return e
}
