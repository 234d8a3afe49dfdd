package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Sources that are no pages under their own names.
const (
	index    = "docs/README.md" // lists the documents by task, and so is the menu
	readme   = "README.md"      // is the repository's front page; the site has one of its own
	home     = "hack/site/vitepress/home.md"
	packages = "docs/api" // has the lists of what packages export
)

// site is what is made: its pages, the files that they show, and its menu.
type site struct {
	root   string // of the repository
	pages  []*page
	by     map[string]*page // by source
	images map[string]bool  // by path in the repository
	wrong  []string
}

// page is a document, or one that is printed here.
type page struct {
	source string // the file or folder in the repository
	name   string // the file below the site's pages
	title  string
	text   string
	links  []link // in the text, those that lead to pages
}

// link leads to a page. With an anchor it is about a part of that.
type link struct {
	to     *page
	anchor string
}

// read finds the pages of the repository at root: the index, and what links lead to from there.
func read(root string) (*site, error) {
	s := &site{root: root, by: map[string]*page{}, images: map[string]bool{}}
	if err := s.printPackages(); err != nil {
		return nil, err
	}
	if err := s.readDocuments(readme, index); err != nil {
		return nil, err
	}
	if err := s.printFigures(s.by[readme]); err != nil {
		return nil, err
	}
	return s, told(s.wrong)
}

// readDocuments follows the links from some sources on, and says which documents they miss.
func (s *site) readDocuments(sources ...string) error {
	for _, source := range sources {
		if s.page(source) == nil {
			return fmt.Errorf("%s is not there", source)
		}
	}
	for i := 0; i < len(s.pages); i++ { // which grows, as links are followed
		p := s.pages[i]
		p.text = mapLinks(p.text, func(l written) string { return s.follow(p, l) })
		for _, t := range strayTags(p.text) {
			if p.source != readme { // the front page is laid out by hand
				s.wrong = append(s.wrong, fmt.Sprintf("%s has the tag %s: write it as code, or &lt;", p.source, t))
			}
		}
	}
	return s.wantAll()
}

// page returns the page of a source, nil if none is made of it.
func (s *site) page(source string) *page {
	if p := s.by[source]; p != nil {
		return p
	}
	file := source
	switch {
	case source == readme:
		file = home
	case !strings.HasSuffix(source, ".md"):
		source = path.Join(source, readme) // of a folder
		file = source
	}
	if p := s.by[source]; p != nil {
		return p
	}
	text, err := os.ReadFile(filepath.Join(s.root, file))
	if err != nil {
		return nil
	}
	return s.add(&page{source: source, name: nameOf(source), text: string(text)})
}

func (s *site) add(p *page) *page {
	p.title = titleOf(p.text)
	s.pages = append(s.pages, p)
	s.by[p.source] = p
	return p
}

// nameOf is where the page of a source is: without docs/, in small letters, and a README is the
// index of its folder.
func nameOf(source string) string {
	switch source {
	case readme:
		return "index.md"
	case index:
		return "documents.md"
	}
	name := strings.ToLower(strings.TrimPrefix(source, "docs/"))
	if path.Base(name) == "readme.md" {
		return path.Join(path.Dir(name), "index.md")
	}
	return name
}

func titleOf(text string) string {
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.ReplaceAll(strings.TrimSpace(title), "`", "")
		}
	}
	return ""
}

// repository is where files are shown that are no pages.
const repository = "https://github.com/typeplane/typeplane"

// follow returns where a link of a page leads on the site.
func (s *site) follow(from *page, l written) string {
	if strings.Contains(l.to, ":") || strings.HasPrefix(l.to, "/") {
		return l.String()
	}
	dir := path.Dir(from.source)
	if from.source == readme {
		dir = path.Dir(home)
	}
	source := path.Join(dir, l.to)
	if l.to == "" {
		source = from.source
	}
	info, err := os.Stat(filepath.Join(s.root, source))
	switch {
	case err != nil:
		s.wrong = append(s.wrong, fmt.Sprintf("%s links to %s, which is not there", from.source, source))
		return l.String()
	case l.image:
		s.images[source] = true
		return "/" + source
	}
	if p := s.page(source); p != nil {
		from.links = append(from.links, link{p, l.anchor})
		l.to = "/" + p.name
		return l.String()
	}
	l.to = repository + "/blob/main/" + source
	if info.IsDir() {
		l.to = repository + "/tree/main/" + source
	}
	return l.String()
}

// wantAll wants each document to be a page.
func (s *site) wantAll() error {
	docs := filepath.Join(s.root, "docs")
	return filepath.WalkDir(docs, func(name string, d fs.DirEntry, err error) error {
		source, relative := filepath.Rel(s.root, name)
		if err = errors.Join(err, relative); err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		if s.by[filepath.ToSlash(source)] == nil {
			s.wrong = append(s.wrong, fmt.Sprintf("no link leads to %s: list it in %s", source, index))
		}
		return nil
	})
}

// write writes the pages, their images and the menu.
func (s *site) write(dir string) error {
	files := map[string]string{"menu.json": s.menu()}
	for _, p := range s.pages {
		files["pages/"+p.name] = p.String()
	}
	for name := range s.images {
		image, err := os.ReadFile(filepath.Join(s.root, name))
		if err != nil {
			return err
		}
		files["pages/public/"+name] = string(image)
	}
	if err := os.RemoveAll(filepath.Join(dir, "pages")); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// String is the page as VitePress reads it: with the source in its front matter.
func (p *page) String() string {
	head := "source: " + p.source + "\n"
	if own, rest, ok := strings.Cut(strings.TrimPrefix(p.text, "---\n"), "\n---\n"); ok && strings.HasPrefix(p.text, "---\n") {
		return "---\n" + head + own + "\n---\n" + rest
	}
	return "---\n" + head + "---\n\n" + p.text
}

// below are the pages of a folder that its index lists, without those in taken.
func below(p *page, taken map[*page]bool) (pages []*page) {
	if path.Base(p.name) != "index.md" {
		return nil
	}
	for _, l := range p.links {
		if path.Dir(l.to.name) == path.Dir(p.name) && l.to != p && !taken[l.to] && !slices.Contains(pages, l.to) {
			pages = append(pages, l.to)
		}
	}
	return pages
}
